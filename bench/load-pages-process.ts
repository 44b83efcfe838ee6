/**
 * Load generator of clients that read whole results: each connection runs a query, fetches page after page, and starts
 * again. Its argument is the file of its plan (`list`: the queries; `fetchPath`: a fetch, to which the id is
 * appended). Writes its counts as one line of JSON, in which a page is a request.
 */
import { readFileSync } from 'node:fs';
import type { LoadPlan } from './load.ts';
import { endWithParent } from './parent.ts';
import { cpuMs, writeResult } from './process-usage.ts';
import type { BenchRequest } from './requests.ts';

const plan = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as LoadPlan & { list: BenchRequest[] };
const root = `http://127.0.0.1:${plan.port}`;
const latenciesMs: number[] = [];
let counting = false;
let ended = false;
let answered = 0;
let failed = 0;
let firstFailure = '';
let next = 0;
endWithParent();

/** Returns the value of the last member `name` of an envelope. Both servers write these members after the rows. */
function memberAtEnd(page: Buffer, name: string): string {
  const at = page.lastIndexOf(`"${name}":`);
  return /^[-\w]+/.exec(page.toString('latin1', at + name.length + 3, at + name.length + 40))?.[0] ?? '';
}

async function send(path: string): Promise<Buffer | undefined> {
  const begunMs = performance.now();
  const answer = await fetch(root + path);
  const page = Buffer.from(await answer.arrayBuffer());
  if (!counting && !ended) return page;
  if (counting) {
    answered++;
    latenciesMs.push(performance.now() - begunMs);
  }
  if (memberAtEnd(page, 'queryId') !== '') return page;
  failed++;
  firstFailure ||= page.toString('utf8', 0, 300);
  return undefined;
}

/** Reads results until the time is over, then closes the current one. */
async function client(): Promise<void> {
  while (!ended) {
    const query = plan.list[next++ % plan.list.length];
    if (query === undefined) return;
    let page = await send(query.path);
    while (page !== undefined && memberAtEnd(page, 'last') === 'false') {
      const id = memberAtEnd(page, 'queryId');
      if (ended) await fetch(`${root}${plan.closePath}${id}`).then((answer) => answer.text());
      page = ended ? undefined : await send(`${plan.fetchPath}${id}`);
    }
  }
}

const clients = Array.from({ length: plan.connections }, client);
await Bun.sleep(plan.warmUpMs);
const cpuBeforeMs = cpuMs(plan.serverPid);
const begunMs = performance.now();
counting = true;
await Bun.sleep(plan.durationMs);
counting = false;
const lastedMs = performance.now() - begunMs;
const usedMs = cpuMs(plan.serverPid) - cpuBeforeMs;
ended = true;
await Promise.all(clients);
writeResult({ answered, failed, firstFailure, lastedMs, usedMs, behindMs: 0, latenciesMs });
