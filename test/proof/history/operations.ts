/** The operations of a recorded history: the requests, and their effect on each key. */
import type { Random } from '../../simulation/random.ts';

/** Operations of the model in `checker/main.go`. */
export type ModelOperation = 'read' | 'put' | 'getput' | 'putifabs' | 'replace' | 'cas' | 'rmv' | 'getrmv' | 'incr';

/** The part of a request that concerns one key. */
export interface KeyOperation {
  readonly key: string;
  readonly operation: ModelOperation;
  readonly argument?: string;
  readonly expected?: string;
}

/** A response of the service. */
export interface Reply {
  readonly successStatus: number;
  readonly response: unknown;
  readonly error: string | null;
}

export interface Request {
  readonly params: Readonly<Record<string, string>>;
  readonly keys: readonly KeyOperation[];
  /** The result for each key; throws when the reply cannot be right. */
  readonly results: (reply: Reply) => ReadonlyArray<string | null>;
}

export interface RequestSource {
  /** Whether each request concerns only single keys: no batches, and no ranges of rows. */
  readonly byKey: boolean;
  readonly random: Random;
  /** Number of the current set of keys. */
  readonly epoch: number;
  /** Returns a string that no other request has used. */
  readonly fresh: string;
  /** The value that a client has most recently seen under a key. */
  seen(key: string): string;
}

/** Keys of each kind in a set. */
export const KEYS_PER_KIND = 5;

type Maker = (source: RequestSource) => Request;

function responseOf({ successStatus, response, error }: Reply): unknown {
  if (successStatus !== 0) throw new Error(`a request fails: ${error}`);
  return response;
}

const asText = (response: unknown): string | null => (response === null ? null : String(response));

/** A command on one key whose response is the result. */
function single(
  params: Readonly<Record<string, string>>,
  key: string,
  operation: ModelOperation,
  texts: Pick<KeyOperation, 'argument' | 'expected'> = {},
): Request {
  return { params, keys: [{ key, operation, ...texts }], results: (reply) => [asText(responseOf(reply))] };
}

/** The address of a key: its name in the history, and the parameters that select it. */
interface Address {
  readonly key: string;
  readonly params: Readonly<Record<string, string>>;
}

function entry({ random, epoch }: RequestSource): Address {
  const number = random.below(KEYS_PER_KIND);
  return { key: `entry:${epoch}:${number}`, params: { key: `g${epoch}.${number}` } };
}

/** A row's number is its key in the table and in the table's cache. */
function rowNumber({ random, epoch }: RequestSource): number {
  return epoch * 100 + random.below(KEYS_PER_KIND);
}

const rowKey = (number: number): string => `row:${number}`;

function row(source: RequestSource): Address {
  const number = rowNumber(source);
  return { key: rowKey(number), params: { cacheName: 'r', keyType: 'int', key: String(number) } };
}

/** The commands on entries, at an address. */
function commands(address: (source: RequestSource) => Address): readonly Maker[] {
  const create =
    (build: (at: Address, source: RequestSource) => Request): Maker =>
    (source) =>
      build(address(source), source);
  return [
    create(({ key, params }) => single({ cmd: 'get', ...params }, key, 'read')),
    create(({ key, params }) => single({ cmd: 'get', ...params }, key, 'read')),
    create(({ key, params }, { fresh }) =>
      single({ cmd: 'put', val: fresh, ...params }, key, 'put', { argument: fresh }),
    ),
    create(({ key, params }, { fresh }) =>
      single({ cmd: 'getput', val: fresh, ...params }, key, 'getput', { argument: fresh }),
    ),
    create(({ key, params }, { fresh }) =>
      single({ cmd: 'putifabs', val: fresh, ...params }, key, 'putifabs', { argument: fresh }),
    ),
    create(({ key, params }, { fresh }) =>
      single({ cmd: 'rep', val: fresh, ...params }, key, 'replace', { argument: fresh }),
    ),
    create(({ key, params }, { fresh, seen }) => {
      const expected = seen(key);
      return single({ cmd: 'cas', val: fresh, val2: expected, ...params }, key, 'cas', { argument: fresh, expected });
    }),
    create(({ key, params }) => single({ cmd: 'rmv', ...params }, key, 'rmv')),
    create(({ key, params }) => single({ cmd: 'getrmv', ...params }, key, 'getrmv')),
  ];
}

/** Two or three different keys of a kind. */
function several(source: RequestSource): number[] {
  const first = source.random.below(KEYS_PER_KIND);
  return Array.from({ length: 2 + source.random.below(2) }, (_, index) => (first + index) % KEYS_PER_KIND);
}

const BULK: readonly Maker[] = [
  (source) => {
    const { epoch, fresh } = source;
    const numbers = several(source);
    const params: Record<string, string> = { cmd: 'putall' };
    numbers.forEach((number, index) => {
      params[`k${index + 1}`] = `g${epoch}.${number}`;
      params[`v${index + 1}`] = `${fresh}.${index}`;
    });
    return {
      params,
      keys: numbers.map((number, index) => {
        return { key: `entry:${epoch}:${number}`, operation: 'put', argument: `${fresh}.${index}` };
      }),
      results: (reply) => numbers.map(() => asText(responseOf(reply))),
    };
  },
  (source) => {
    const { epoch } = source;
    const numbers = several(source);
    const names = numbers.map((number) => `g${epoch}.${number}`);
    return {
      params: { cmd: 'getall', ...Object.fromEntries(names.map((name, index) => [`k${index + 1}`, name])) },
      keys: numbers.map((number) => ({ key: `entry:${epoch}:${number}`, operation: 'read' })),
      results: (reply) => {
        const found = responseOf(reply) as Record<string, string>;
        return names.map((name) => found[name] ?? null);
      },
    };
  },
];

/** A batch of changes that return the previous values, as one transaction or one after another. */
const batch: Maker = (source) => {
  const { epoch, fresh, random } = source;
  const numbers = several(source);
  const commands = numbers.map((number, index) => {
    return { cmd: 'getput', key: `g${epoch}.${number}`, val: `${fresh}.${index}` };
  });
  return {
    params: { cmd: 'batch', atomic: String(random.fraction() < 0.5), commands: JSON.stringify(commands) },
    keys: numbers.map((number, index) => {
      return { key: `entry:${epoch}:${number}`, operation: 'getput', argument: `${fresh}.${index}` };
    }),
    results: (reply) => (responseOf(reply) as readonly Reply[]).map((each) => asText(responseOf(each))),
  };
};

const counter: Maker = ({ random, epoch }) => {
  const key = `counter:${epoch}:${random.below(KEYS_PER_KIND)}`;
  const delta = String(random.below(4));
  return single({ cmd: 'incr', key, delta }, key, 'incr', { argument: delta });
};

/** A statement on one row; `result` makes the result from the rows of the reply. */
function sql(
  qry: string,
  args: ReadonlyArray<string | number>,
  keys: readonly KeyOperation[],
  results: (items: unknown[][]) => ReadonlyArray<string | null>,
): Request {
  const numbered = args.flatMap((value, index) => {
    const name = `arg${index + 1}`;
    // An Ignite node finds no row to change if the key is a string.
    const type = typeof value === 'number' ? [[`${name}Type`, 'int']] : [];
    return [[name, String(value)], ...type];
  });
  return {
    params: { cmd: 'qryfldexe', pageSize: '100', qry, ...Object.fromEntries(numbered) },
    keys,
    results: (reply) => results((responseOf(reply) as { items: unknown[][] }).items),
  };
}

/** Reports whether a changing statement found its row. */
const changed = ([counts]: unknown[][]): readonly [string] => [String(counts?.[0] === 1)];

/** A range: not by key, so a statement process of the embedded engine reads it. */
const range: Maker = (source) => {
  const number = rowNumber(source);
  const numbers = [number, number + 1, number + 2];
  const keys = numbers.map((each) => ({ key: rowKey(each), operation: 'read' }) as const);
  return sql('SELECT k, v FROM R WHERE k BETWEEN ? AND ? ORDER BY v', [number, number + 2], keys, (items) => {
    const found = new Map(items.map(([k, v]) => [k, asText(v)]));
    return numbers.map((each) => found.get(each) ?? null);
  });
};

const SQL: readonly Maker[] = [
  (source) => {
    const number = rowNumber(source);
    const keys = [{ key: rowKey(number), operation: 'read' }] as const;
    return sql('SELECT v FROM R WHERE k = ?', [number], keys, ([found]) => [asText(found?.[0] ?? null)]);
  },
  (source) => {
    const [number, argument] = [rowNumber(source), source.fresh];
    return sql('MERGE INTO R (k, v) VALUES (?, ?)', [number, argument], [of(number, 'put', argument)], changed);
  },
  (source) => {
    const [number, argument] = [rowNumber(source), source.fresh];
    return sql('UPDATE R SET v = ? WHERE k = ?', [argument, number], [of(number, 'replace', argument)], changed);
  },
  (source) => {
    const [number, argument] = [rowNumber(source), source.fresh];
    const expected = source.seen(rowKey(number));
    const keys = [{ ...of(number, 'cas', argument), expected }];
    return sql('UPDATE R SET v = ? WHERE k = ? AND v = ?', [argument, number, expected], keys, changed);
  },
  (source) => {
    const number = rowNumber(source);
    return sql('DELETE FROM R WHERE k = ?', [number], [of(number, 'rmv')], changed);
  },
  (source) => {
    const [number, argument] = [rowNumber(source), source.fresh];
    const insert = sql(
      'INSERT INTO R (k, v) VALUES (?, ?)',
      [number, argument],
      [of(number, 'putifabs', argument)],
      changed,
    );
    return {
      ...insert,
      results: (reply) => (/already in cache/.test(reply.error ?? '') ? ['false'] : insert.results(reply)),
    };
  },
];

function of(number: number, operation: ModelOperation, argument?: string): KeyOperation {
  return { key: rowKey(number), operation, ...(argument !== undefined && { argument }) };
}

const [ENTRIES, ROWS] = [commands(entry), commands(row)];

/** Returns requests that read every key of a set. */
export function readsOf(epoch: number): Request[] {
  return Array.from({ length: KEYS_PER_KIND }, (_, number) => {
    const [name, count] = [`g${epoch}.${number}`, `counter:${epoch}:${number}`];
    const rowId = epoch * 100 + number;
    return [
      single({ cmd: 'get', key: name }, `entry:${epoch}:${number}`, 'read'),
      single({ cmd: 'get', cacheName: 'r', keyType: 'int', key: String(rowId) }, rowKey(rowId), 'read'),
      single({ cmd: 'incr', key: count, delta: '0' }, count, 'incr', { argument: '0' }),
    ];
  }).flat();
}

/** Chooses the next request. */
export function nextRequest(source: RequestSource): Request {
  const { random, byKey } = source;
  const any = (makers: readonly Maker[]): Request => (makers[random.below(makers.length)] ?? counter)(source);
  const chance = random.fraction();
  if (chance < 0.4) return any(ENTRIES);
  if (chance < 0.48) return any(BULK);
  if (chance < 0.52) return byKey ? any(ENTRIES) : batch(source);
  if (chance < 0.6) return counter(source);
  if (chance < 0.75) return any(ROWS);
  return any(byKey ? SQL : [...SQL, range]);
}
