/** Stores and reads values and objects, reads rows page by page and as lines. Argument: the endpoint. */
import { SvcClient } from '@svc-grid/svc/client';

const url = process.argv[2] ?? 'http://localhost:8080/svc';
const svc = new SvcClient({ url });
const qry = 'SELECT X FROM SYSTEM_RANGE(1, ?)';
const say = (text: string) => process.stdout.write(`${text}\n`);

await svc.put({ key: 'colour', val: 'red' });
say(`get: ${await svc.get({ key: 'colour' })}`);

await svc.put({ key: 'ann', val: { name: 'Ann', age: 41 }, valueType: 'Person' });
const ann = await svc.get({ key: 'ann' });
say(`object: ${typeof ann === 'object' && ann !== null && 'name' in ann ? ann.name : 'none'}`);

const numbers: unknown[] = [];
for await (const [x] of svc.query(qry, { args: [5], pageSize: 2 })) numbers.push(x);
say(`rows: ${numbers.join(' ')}`);

const response = await fetch(`${url}/qryfldexe`, {
  method: 'POST',
  headers: { 'Content-Type': 'application/json', Accept: 'application/x-ndjson' },
  body: JSON.stringify({ qry, args: [1_000], pageSize: 1_000 }),
});
let lines = 0;
const decoder = new TextDecoder();
for await (const bytes of response.body ?? []) {
  lines += decoder.decode(bytes, { stream: true }).split('\n').length - 1;
}
say(`lines: ${lines}`);
