/**
 * Relations that hold whatever is stored: entries are what statements read, a batch is its commands one after another,
 * a dry run has the outcome without the effect, getall is get for each key, pages are one page, and neither an export
 * with its import nor a restart changes anything. Histories are random; SVC_SEED=n runs another one. Those of the last
 * test (steps.ts) mix all ways to send a command with declarations over data that exists.
 */
import { afterAll, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { formatExactScalar, isScalar } from '../../../src/values/scalar-traits.ts';
import type { ScalarTypeName } from '../../../src/values/value.ts';
import { pick, type RandomSource, randomScalar, seededRandom } from '../../fixtures/values/random-values.ts';
import {
  newFolder,
  queryOf,
  type Answer as ServiceAnswer,
  type ServiceProcess,
  startService,
} from '../service-process.ts';
import { runHistories } from './run.ts';

const SEED = Number(process.env.SVC_SEED ?? 1);
const ROUNDS = 12;

/** The columns of values: a column of each type of SQL. */
const COLUMNS: ReadonlyArray<readonly [name: string, type: ScalarTypeName, sqlType: string]> = [
  ['BO', 'boolean', 'BOOLEAN'],
  ['TI', 'byte', 'TINYINT'],
  ['SM', 'short', 'SMALLINT'],
  ['IT', 'integer', 'INT'],
  ['BI', 'long', 'BIGINT'],
  ['RE', 'float', 'REAL'],
  ['DO', 'double', 'DOUBLE'],
  ['DE', 'decimal', 'DECIMAL'],
  ['VA', 'string', 'VARCHAR'],
  ['DA', 'date', 'DATE'],
  ['TM', 'time', 'TIME'],
  ['TS', 'timestamp', 'TIMESTAMP'],
  ['UU', 'uuid', 'UUID'],
  ['BY', 'bytes', 'BINARY'],
];

interface KeyForm {
  readonly columns: string;
  readonly primaryKey: string;
  readonly keyType: string;
  readonly keys: readonly unknown[];
}

const KEY_FORMS: Readonly<Record<string, KeyForm>> = {
  INT: { columns: 'K INT', primaryKey: 'K', keyType: 'int', keys: ['1', '2', '3', '-4', '5'] },
  DECIMAL: {
    columns: 'K DECIMAL',
    primaryKey: 'K',
    keyType: 'java.math.BigDecimal',
    keys: ['1', '1.0', '1.00', '-0.5', '1E+2', '100'],
  },
  composite: {
    columns: 'K DECIMAL, L TIME, M VARCHAR',
    primaryKey: 'K, L, M',
    keyType: 'RelationKey',
    keys: [
      { K: '1.0', L: '23:59:59.999', M: 'a,b' },
      { K: '1.00', L: '23:59:59.999', M: 'a,b' },
      { M: 'a,b', L: '23:59:59.999', K: '1' },
      { K: '1', L: '23:59:59', M: 'a,b' },
      { K: '2', L: '00:00:00', M: '' },
    ],
  },
};

type Parameters = Readonly<Record<string, unknown>>;

const folder = newFolder();
afterAll(() => rmSync(folder, { recursive: true }));

/** Returns a text that is a value of the type, or null. SQL has no -0.0. */
function randomText(random: RandomSource, type: ScalarTypeName): string | null {
  if (random.below(6) === 0) return null;
  const value = randomScalar(random, type);
  if (value.type === 'bytes') return value.data.toBase64();
  if (!isScalar(value) || Object.is('data' in value && value.data, -0)) return null;
  // CSV has no lone surrogates.
  return formatExactScalar(value).toWellFormed();
}

function randomRow(random: RandomSource): Record<string, string | null> {
  return Object.fromEntries(COLUMNS.map(([name, type]) => [name, randomText(random, type)]));
}

/** Returns a command for a cache. The same numbers make the same command for another one. */
function randomCommand(random: RandomSource, { keyType, keys }: KeyForm): (cache: string) => Parameters {
  const [first, ...others] = keys;
  const key = (): unknown => pick(random, [first, ...others]);
  const typed = { keyType, valueType: 'Relation' };
  const entry = { ...typed, key: key(), val: randomRow(random) };
  const cmd = pick(random, [
    'put',
    'add',
    'getput',
    'rep',
    'putall',
    'rmv',
    'get',
    'conkey',
    'size',
    'update',
    'delete',
  ]);
  if (cmd === 'size') return (cacheName) => ({ cmd, cacheName });
  if (cmd === 'rmv' || cmd === 'get' || cmd === 'conkey') {
    return (cacheName) => ({ cmd, cacheName, keyType, key: entry.key });
  }
  if (cmd === 'putall') {
    const many = { ...typed, keys: [entry.key, key()], values: [entry.val, randomRow(random)] };
    return (cacheName) => ({ cmd, cacheName, ...many });
  }
  if (cmd === 'update' || cmd === 'delete') {
    const [name, type] = pick(random, COLUMNS as [(typeof COLUMNS)[number]]);
    const condition = `MOD(IT, 3) = ${random.below(3)}`;
    const text = randomText(random, type);
    const args = cmd === 'update' ? [text] : [];
    const change =
      cmd === 'update'
        ? (cache: string) => `UPDATE ${cache} SET ${name} = ?`
        : (cache: string) => `DELETE FROM ${cache}`;
    const arg1Type =
      text === null ? 'null' : type === 'decimal' ? 'java.math.BigDecimal' : type === 'bytes' ? '[B' : type;
    return (cache) => ({
      cmd: 'qryfldexe',
      pageSize: 1,
      qry: `${change(cache)} WHERE ${condition}`,
      ...(args.length > 0 && { args: text === null ? [null] : [text], arg1Type }),
    });
  }
  return (cacheName) => ({ cmd, cacheName, ...entry });
}

class Client {
  readonly #service: ServiceProcess;

  constructor(service: ServiceProcess) {
    this.#service = service;
  }

  /** Returns the response of a command as text, or its error. */
  async send(parameters: Parameters): Promise<string> {
    const answer = await this.#service.send('', {
      method: 'POST',
      // Like our own clients; the texts of errors are compared.
      headers: { 'content-type': 'application/json', prefer: 'errors=text' },
      body: JSON.stringify(parameters),
    });
    return answer.error ?? JSON.stringify(answer.response);
  }

  async run(qry: string): Promise<void> {
    expect(await this.send({ cmd: 'qryfldexe', pageSize: 1, qry })).toContain('"items"');
  }

  async read(path: string): Promise<Response> {
    return fetch(`${this.#service.origin}${path}`);
  }

  async exported(query: Readonly<Record<string, string>>): Promise<string[]> {
    const text = await (await this.read(`/svc?${queryOf({ cmd: 'export', ...query })}`)).text();
    return text.split('\n').sort();
  }

  async imported(query: Readonly<Record<string, string>>, body: string): Promise<void> {
    const type = query.format === 'csv' ? 'text/csv' : 'application/x-ndjson';
    const init = { method: 'POST', headers: { 'content-type': type }, body };
    expect((await this.#service.send(queryOf({ cmd: 'import', ...query }), init)).error).toBeNull();
  }
}

/** Answers to statements have their own numbers, and errors name the table. */
const withoutNames = (text: string): string => text.replaceAll(/"queryId":\d+|\b[XY]\b/g, '');

type Answer = Pick<ServiceAnswer, 'response' | 'error'>;

function shown({ response, error }: Answer): string {
  return withoutNames(error ?? JSON.stringify(response));
}

async function runHistory(client: Client, name: string, random: RandomSource): Promise<void> {
  const form = KEY_FORMS[name];
  if (form === undefined) throw new Error(name);
  const keyName = form.keyType === 'RelationKey' ? `KEY_TYPE=${form.keyType},` : '';
  const columns = COLUMNS.map(([column, , sqlType]) => `${column} ${sqlType}`).join(', ');
  for (const table of ['X', 'Y']) {
    await client.run(
      `CREATE TABLE ${table} (${form.columns}, ${columns}, PRIMARY KEY (${form.primaryKey})) ` +
        `WITH "CACHE_NAME=${table},${keyName}VALUE_TYPE=Relation"`,
    );
  }
  const rowsOf = (table: string) => client.exported({ table });
  for (let round = 0; round < ROUNDS; round++) {
    const made = Array.from({ length: 1 + random.below(5) }, () => randomCommand(random, form));
    const atomic = random.below(2) === 0;
    const commands = made.map((make) => make('X'));
    const before = await rowsOf('X');
    const dry = await client.send({ cmd: 'dryrun', of: 'batch', commands, atomic });
    expect(await rowsOf('X')).toEqual(before);
    const batch = await client.send({ cmd: 'batch', commands, atomic });
    if (!batch.startsWith('[')) {
      // An atomic batch that failed is none.
      expect([atomic, dry.replace('DRY_RUN', 'BATCH')]).toEqual([true, batch]);
      expect(await rowsOf('X')).toEqual(before);
      continue;
    }
    const singles: string[] = [];
    for (const make of made) singles.push(await client.send(make('Y')));
    const together: readonly Answer[] = JSON.parse(batch);
    expect(together.map(shown)).toEqual(singles.map(withoutNames));
    // The commands of a dry run are always those of an atomic batch.
    if (atomic) {
      const foreseen: readonly Answer[] = JSON.parse(dry).response;
      expect(foreseen.map(shown)).toEqual(together.map(shown));
    }
    expect(await rowsOf('Y')).toEqual(await rowsOf('X'));
    expect(await client.exported({ cacheName: 'Y' })).toEqual(await client.exported({ cacheName: 'X' }));
  }
  // getall = get for each key.
  const keyed = { cacheName: 'X', keyType: form.keyType };
  const all: Readonly<Record<string, unknown>> = JSON.parse(
    await client.send({ cmd: 'getall', ...keyed, keys: form.keys }),
  );
  const gets = new Set<string>();
  for (const key of form.keys) gets.add(await client.send({ cmd: 'get', ...keyed, key }));
  gets.delete('null');
  expect(new Set(Object.values(all).map((value) => JSON.stringify(value)))).toEqual(gets);
  // Pages are one page.
  for (const order of COLUMNS.map(([column]) => column)) {
    const whole = await (await client.read(`/svc/tables/X/rows?order=${order}&limit=100`)).text();
    const pages: string[] = [];
    let next: string | undefined = `/svc/tables/X/rows?order=${order}&limit=1`;
    while (next !== undefined && pages.length <= form.keys.length) {
      const page = await client.read(next);
      expect(page.status).toBe(200);
      pages.push((await page.text()).slice(1, -1));
      next = /^<(.*)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1];
    }
    expect([order, `[${pages.join(',\n')}]`]).toEqual([order, whole]);
  }
  // What is exported is imported as what it was.
  for (const [source, target] of [
    [{ table: 'X' }, { table: 'Y' }],
    [{ cacheName: 'X' }, { cacheName: 'Y' }],
  ] as const) {
    for (const format of ['ndjson', 'csv']) {
      const body = await (await client.read(`/svc?${queryOf({ cmd: 'export', ...source, format })}`)).text();
      await client.run('DELETE FROM Y');
      await client.imported({ ...target, format }, body);
      expect(await rowsOf('Y')).toEqual(await rowsOf('X'));
    }
  }
}

for (const name of Object.keys(KEY_FORMS)) {
  test(`keys: ${name}, seed ${SEED}`, async () => {
    const dataDir = `${folder}/${name}`;
    let before: readonly string[];
    {
      await using service = await startService({ dataDir });
      const client = new Client(service);
      await runHistory(client, name, seededRandom(SEED));
      before = [...(await client.exported({ table: 'X' })), ...(await client.exported({ cacheName: 'X' }))];
    }
    await using again = await startService({ dataDir });
    const client = new Client(again);
    expect([...(await client.exported({ table: 'X' })), ...(await client.exported({ cacheName: 'X' }))]).toEqual([
      ...before,
    ]);
  }, 60_000);
}

test(`declarations over data that exists, in all ways, from seed ${SEED}`, async () => {
  const plan = { firstSeed: SEED, histories: 12, together: 12, restarted: 1, folder };
  const report = await runHistories({ ...plan, forms: ['ways', 'ways', 'order', 'configuration'], restart: 'backup' });
  expect(report.violations).toEqual([]);
}, 240_000);
