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
const entry = { path: { cache: 'default', key: 'a/b' } };
const created = await client.PUT('/svc/caches/{cache}/entries/{key}', { params: entry, body: { colour: 'red' } });
check('PUT of an entry', 201, created.response.status);
const value = await client.GET('/svc/caches/{cache}/entries/{key}', { params: entry });
check('GET of an entry', { colour: 'red' }, value.data);
const rows = await client.POST('/svc/tables/CITY/rows', { body: [{ ID: 1, NAME: 'Oslo' }] });
check('POST of rows', 201, rows.response.status);
const selected = await client.GET('/svc/tables/CITY/rows', { params: { query: { NAME: 'eq.Oslo', limit: 5 } } });
const name: string | null | undefined = selected.data?.[0]?.NAME;
check('GET of rows', 'Oslo', name);
const missing = await client.GET('/svc/tables/CITY/rows/{key}', { params: { path: { key: '2' } } });
check('GET of a missing row', 'ROW_NOT_FOUND', missing.error?.code);
process.stdout.write('done\n');
