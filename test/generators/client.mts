/** Puts, gets and selects with the types that openapi-typescript made. */
import createClient from 'openapi-fetch';
import type { paths } from './svc.d.ts';

function check(title: string, expected: unknown, actual: unknown): void {
  if (JSON.stringify(actual) !== JSON.stringify(expected)) throw new Error(`${title}: ${JSON.stringify(actual)}`);
}

const client = createClient<paths>({ baseUrl: process.argv[2] ?? '' });
const stored = await client.POST('/svc/put', {
  body: { key: 'typescript', val: 7, valueType: 'long' },
  params: { header: { 'Idempotency-Key': 'typescript-1' } },
});
const wasStored: boolean | null | undefined = stored.data?.response;
check('put', true, wasStored);
const found = await client.GET('/svc/get', { params: { query: { key: 'typescript' } } });
check('get', 7, found.data?.response);
const page = await client.POST('/svc/qryfldexe', { body: { qry: 'SELECT ? + 1', pageSize: 10, args: [41] } });
const items: unknown[] | undefined = page.data?.response?.items;
check('select', [[42]], items);
process.stdout.write('done\n');
