/** Reads the contents of a restarted service and compares them with the knowledge of its clients. */
import { type Answer, sendTo } from '../../system/service-process.ts';
import { BUSY } from '../busy.ts';
import { after, type Client, type CounterClient, describe, type StateClient } from './client.ts';
import { counterName, ENTRY_KEYS, entryKey, OWN_KEYS, ownCache, ownTable, ROW_KEYS, rowId, rowText } from './steps.ts';

export interface Clients {
  readonly clients: readonly Client[];
  readonly state: StateClient;
  readonly counters: readonly CounterClient[];
  /** Highest value of the shared counter that any check has read. */
  floor: number;
}

/** Tolerance for the duration of a request. The service and its clients use the same clock. */
const SLACK_MS = 30;
/** Attempts of a statement that finds no free thread on a slow machine. */
const MAX_ATTEMPTS = 6;
const KEYS_PER_REQUEST = 1_000;

async function send(url: string, params: Readonly<Record<string, unknown>>): Promise<Answer> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(params) };
  for (let attempt = 1; ; attempt++) {
    const answer = await sendTo(url, 'errors=text', init);
    if (attempt === MAX_ATTEMPTS || !BUSY.test(answer.error ?? '')) return answer;
  }
}

/** Returns the response of a command that must succeed. */
async function responseOf(url: string, params: Readonly<Record<string, unknown>>): Promise<unknown> {
  const answer = await send(url, params);
  if (answer.successStatus !== 0) throw new Error(`${JSON.stringify(params)} fails: ${answer.error}`);
  return answer.response;
}

async function entriesOf(url: string, cacheName: string, keys: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (let from = 0; from < keys.length; from += KEYS_PER_REQUEST) {
    const part = keys.slice(from, from + KEYS_PER_REQUEST);
    const response = await responseOf(url, { cmd: 'getall', cacheName, keys: part });
    for (const [key, value] of Object.entries(response as Record<string, string>)) found.set(key, value);
  }
  return found;
}

interface Page {
  readonly items: unknown[][];
  readonly fieldsMetadata: ReadonlyArray<{ readonly fieldName: string }>;
  readonly last: boolean;
}

async function rows(url: string, qry: string): Promise<Page> {
  const page = (await responseOf(url, { cmd: 'qryfldexe', pageSize: 10_000, qry })) as Page;
  if (!page.last) throw new Error(`${qry}: more rows than fit into a page`);
  return page;
}

/** Reads the keys, rows and counters of each client. */
async function observe(url: string, clients: readonly Client[]): Promise<Map<Client, Map<string, string>>> {
  const seen = new Map(clients.map((client) => [client, new Map<string, string>()] as const));
  const numbers = (below: number) => Array.from({ length: below }, (_, number) => number);
  const entries = await entriesOf(
    url,
    'default',
    clients.flatMap(({ id }) => numbers(ENTRY_KEYS).map((key) => entryKey(id, key))),
  );
  const acc = await rows(url, 'SELECT id, owner, amount, note FROM Acc');
  const accounts = new Map(acc.items.map(([id, , amount, note]) => [Number(id), rowText(amount, note)] as const));
  for (const [client, found] of seen) {
    const { id } = client;
    for (const key of numbers(ENTRY_KEYS)) setIfThere(found, `e${key}`, entries.get(entryKey(id, key)));
    for (const row of numbers(ROW_KEYS)) setIfThere(found, `r${row}`, accounts.get(rowId(id, row)));
    const counter = await responseOf(url, { cmd: 'incr', key: counterName(id), delta: 0 });
    // A counter of 0 and one that was never used are the same to a client.
    if (Number(counter) !== 0 || client.contents.has('n')) found.set('n', String(counter));
    if (id % 8 === 0) await observeStructure(url, id, found);
  }
  return seen;
}

function setIfThere(found: Map<string, string>, name: string, text: string | undefined): void {
  if (text !== undefined) found.set(name, text);
}

async function observeStructure(url: string, id: number, found: Map<string, string>): Promise<void> {
  const keys = Array.from({ length: OWN_KEYS }, (_, key) => String(key));
  const own = await send(url, { cmd: 'getall', cacheName: ownCache(id), keys });
  if (own.successStatus === 0) {
    found.set('own', 'yes');
    for (const [key, text] of Object.entries(own.response as Record<string, string>)) found.set(`o${key}`, text);
  } else if (!/Failed to find cache/.test(own.error ?? '')) throw new Error(`getall fails: ${own.error}`);
  const table = ownTable(id);
  const select = await send(url, { cmd: 'qryfldexe', pageSize: 100, qry: `SELECT * FROM ${table}` });
  if (select.successStatus === 0) {
    const page = select.response as Page;
    found.set('t', page.fieldsMetadata.map(({ fieldName }) => fieldName).join());
    for (const [key, ...values] of page.items) found.set(`t${key}`, values.map(String).join());
  } else if (!/not found/.test(select.error ?? '')) throw new Error(`${table}: ${select.error}`);
  const indexes = await rows(url, `SELECT INDEX_NAME FROM SYS.INDEXES WHERE INDEX_NAME = '${table}_A'`);
  if (indexes.items.length > 0) found.set('ti', 'yes');
}

/**
 * Compares the contents of the service with its clients' knowledge, and returns the violations as sentences. Afterwards
 * no request is pending.
 */
export async function checkService(url: string, all: Clients): Promise<string[]> {
  const wrong: string[] = [];
  await checkState(url, all.state, wrong);
  const seen = await observe(url, all.clients);
  let entries = 0;
  let accounts = 0;
  for (const [client, found] of seen) {
    wrong.push(...client.wrong.splice(0), ...compare(client, found));
    client.crashed(found);
    for (const name of found.keys()) {
      if (/^e\d/.test(name)) entries += 1;
      if (/^r\d/.test(name)) accounts += 1;
    }
  }
  await checkExpiring(url, all.clients, wrong);
  await checkCounts(url, entries, accounts, wrong);
  await checkSharedCounter(url, all, wrong);
  return wrong;
}

async function checkState(url: string, client: StateClient, wrong: string[]): Promise<void> {
  const state = String(await responseOf(url, { cmd: 'state' }));
  if (state !== client.state && state !== client.pending)
    wrong.push(`the state is ${state}, acknowledged ${client.state}, sent ${client.pending}`);
  await responseOf(url, { cmd: 'setstate', state: 'ACTIVE' });
  client.state = 'ACTIVE';
  client.pending = undefined;
}

/** Accepts the contents before or after the pending request, but nothing in between. */
export function compare(
  client: Pick<Client, 'id' | 'contents' | 'pending'>,
  found: ReadonlyMap<string, string>,
): string[] {
  const { contents, pending } = client;
  const differences = differ(contents, found);
  if (differences.length === 0) return [];
  if (pending === undefined) return [`client ${client.id}: ${differences.join('; ')}; no request was pending`];
  const afterwards = differ(after(contents, pending.effects), found);
  if (afterwards.length === 0) return [];
  return [
    `client ${client.id}: ${describe(pending)} was pending; without it: ${differences.join('; ')}; ` +
      `with it: ${afterwards.join('; ')}`,
  ];
}

function differ(expected: ReadonlyMap<string, string>, found: ReadonlyMap<string, string>): string[] {
  const names = new Set([...expected.keys(), ...found.keys()]);
  return [...names]
    .filter((name) => expected.get(name) !== found.get(name))
    .map((name) => `${name} is ${found.get(name)} instead of ${expected.get(name)}`);
}

async function checkExpiring(url: string, clients: readonly Client[], wrong: string[]): Promise<void> {
  const all = new Map(clients.flatMap(({ expiring }) => [...expiring]));
  const beforeMs = Date.now();
  const found = await entriesOf(url, 'expiring', [...all.keys()]);
  const afterMs = Date.now();
  for (const [key, { value, earliestMs, latestMs }] of all) {
    const text = found.get(key);
    if (text === undefined && afterMs < earliestMs - SLACK_MS) wrong.push(`${key} expired too early`);
    if (text !== undefined && beforeMs > latestMs + SLACK_MS) wrong.push(`${key} exists after its deadline`);
    if (text !== undefined && text !== value) wrong.push(`${key} is ${text} instead of ${value}`);
  }
  // An expired entry must stay absent: it is checked once more at the next check.
  for (const { expiring } of clients) {
    for (const [key, { latestMs }] of expiring) if (beforeMs > latestMs + 10_000) expiring.delete(key);
  }
}

/** Checks that stored counts and results read through an index agree with the rows. */
async function checkCounts(url: string, entries: number, accounts: number, wrong: string[]): Promise<void> {
  const same = (what: string, found: unknown, expected: unknown) => {
    if (String(found) !== String(expected)) wrong.push(`${what} is ${found} instead of ${expected}`);
  };
  same('size of the default cache', await responseOf(url, { cmd: 'size', cacheName: 'default' }), entries);
  same('size of the table', await responseOf(url, { cmd: 'size', cacheName: 'SQL_PUBLIC_ACC' }), accounts);
  same('size of a cache without persistence', await responseOf(url, { cmd: 'size', cacheName: 'temporary' }), 0);
  const [whole = []] = (await rows(url, 'SELECT COUNT(*), SUM(amount) FROM Acc')).items;
  same('COUNT(*)', whole[0], accounts);
  const byIndex = await rows(url, 'SELECT owner, COUNT(*), SUM(amount) FROM Acc WHERE owner >= 0 GROUP BY owner');
  const sum = (column: number) => byIndex.items.reduce((total, row) => total + Number(row[column]), 0);
  same('COUNT(*) by index', sum(1), accounts);
  same('SUM(amount) by index', sum(2), whole[0] === 0 ? 0 : whole[1]);
}

async function checkSharedCounter(url: string, all: Clients, wrong: string[]): Promise<void> {
  const found = Number(await responseOf(url, { cmd: 'incr', key: 'shared', delta: 0 }));
  const highest = Math.max(all.floor, ...all.counters.map((counter) => counter.highest));
  const sent = all.counters.reduce((sum, counter) => sum + counter.sent, 0);
  if (found < highest) wrong.push(`the shared counter is ${found} after ${highest} was answered`);
  if (found > sent) wrong.push(`the shared counter is ${found} after ${sent} requests`);
  all.floor = found;
  const taken = new Set<number>();
  for (const counter of all.counters) {
    wrong.push(...counter.wrong.splice(0));
    for (const number of counter.taken) {
      if (taken.has(number)) wrong.push(`the shared counter returned ${number} twice`);
      taken.add(number);
    }
  }
}
