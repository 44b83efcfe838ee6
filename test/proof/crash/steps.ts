/** All steps of the load. Each client owns its keys, rows, cache and table, so it knows their contents. */
import type { Random } from '../../simulation/random.ts';
import { atomic, type Contents, type Effects, type Step, statement, step } from './step.ts';

/** The inputs of a step. */
export interface StepSource {
  readonly id: number;
  readonly random: Random;
  readonly contents: Contents;
  /** Returns a string that no other step has used. */
  fresh(): string;
}

export const ENTRY_KEYS = 8;
export const ROW_KEYS = 6;
export const OWN_KEYS = 4;

/** Key of an entry of a client in the default cache; its name among the contents is `e0`, `e1` ... */
export const entryKey = (id: number, key: number): string => `c${id}.${key}`;
export const counterName = (id: number): string => `n${id}`;
export const rowId = (id: number, row: number): number => id * 100 + row;
export const ownCache = (id: number): string => `own${id}`;
export const ownTable = (id: number): string => `T${id}`;

type Generator = (source: StepSource) => Step;

/** The text of a row among the contents. */
export const rowText = (amount: unknown, note: unknown): string => JSON.stringify([amount, note]);

function anyKey(source: StepSource): { name: string; key: string; before: string | undefined } {
  const number = source.random.below(ENTRY_KEYS);
  const name = `e${number}`;
  return { name, key: entryKey(source.id, number), before: source.contents.get(name) };
}

/** A step on one entry of the default cache. */
function onEntry(
  create: (
    key: string,
    before: string | undefined,
    fresh: string,
  ) => {
    readonly params: Readonly<Record<string, string>>;
    /** Undefined if the entry does not change. */
    readonly after?: string | null;
    readonly response: unknown;
  },
): Generator {
  return (source) => {
    const { name, key, before } = anyKey(source);
    const { params, after, response } = create(key, before, source.fresh());
    return step({ key, ...params }, after === undefined ? {} : { [name]: after }, response);
  };
}

/** Stores if there is an entry (`present`), or if there is none. */
function conditional(cmd: string, present: boolean, response: (before: string | undefined) => unknown): Generator {
  return onEntry((_key, before, val) => ({
    params: { cmd, val },
    ...((before !== undefined) === present && { after: val }),
    response: response(before),
  }));
}

const was = (before: string | undefined): boolean => before !== undefined;
const value = (before: string | undefined): string | null => before ?? null;

/** The expected value is the current one in every other case. */
const expected = (before: string | undefined, fresh: string): string =>
  before !== undefined && fresh.charCodeAt(fresh.length - 1) % 2 === 0 ? before : `${fresh}?`;

const ENTRY_STEPS: readonly Generator[] = [
  onEntry((_key, before) => ({ params: { cmd: 'get' }, response: value(before) })),
  onEntry((_key, _before, val) => ({ params: { cmd: 'put', val }, after: val, response: true })),
  onEntry((_key, before, val) => ({ params: { cmd: 'getput', val }, after: val, response: value(before) })),
  conditional('add', false, (before) => !was(before)),
  conditional('putifabs', false, (before) => !was(before)),
  conditional('getputifabs', false, value),
  conditional('rep', true, was),
  conditional('getrep', true, value),
  ...['repval', 'cas'].map((cmd) =>
    onEntry((_key, before, val) => {
      const val2 = expected(before, val);
      const fits = val2 === before;
      return { params: { cmd, val, val2 }, ...(fits && { after: val }), response: fits };
    }),
  ),
  onEntry((_key, before, val) => ({
    params: { cmd: 'append', val },
    ...(before !== undefined && { after: before + val }),
    response: was(before),
  })),
  onEntry((_key, before, val) => ({
    params: { cmd: 'prepend', val },
    ...(before !== undefined && { after: val + before }),
    response: was(before),
  })),
  onEntry((_key, before) => ({ params: { cmd: 'rmv' }, after: null, response: was(before) })),
  onEntry((_key, before) => ({ params: { cmd: 'getrmv' }, after: null, response: value(before) })),
  onEntry((_key, before, fresh) => {
    const val = expected(before, fresh);
    const fits = val === before;
    return { params: { cmd: 'rmvval', val }, ...(fits && { after: null }), response: fits };
  }),
];

/** Some keys of a client, at least one, in a random order. */
function someKeys({ random }: StepSource, below: number): number[] {
  const keys = Array.from({ length: below }, (_, key) => key).filter(() => random.fraction() < 0.6);
  return keys.length > 0 ? keys : [0];
}

const BULK_STEPS: readonly Generator[] = [
  (source) => {
    const keys = someKeys(source, ENTRY_KEYS);
    const params: Record<string, string> = { cmd: 'putall' };
    const effects: Record<string, string> = {};
    keys.forEach((key, index) => {
      const val = source.fresh();
      params[`k${index + 1}`] = entryKey(source.id, key);
      params[`v${index + 1}`] = val;
      effects[`e${key}`] = val;
    });
    return step(params, effects, true);
  },
  (source) => {
    const keys = someKeys(source, ENTRY_KEYS);
    const numbered = keys.map((key, index) => [`k${index + 1}`, entryKey(source.id, key)] as const);
    const effects = Object.fromEntries(keys.map((key) => [`e${key}`, null]));
    return step({ cmd: 'rmvall', ...Object.fromEntries(numbered) }, effects, true);
  },
];

function counterStep(cmd: 'incr' | 'decr'): Generator {
  return ({ id, random, contents }) => {
    const delta = 1 + random.below(5);
    const after = Number(contents.get('n') ?? 0) + (cmd === 'incr' ? delta : -delta);
    return step({ cmd, key: counterName(id), delta: String(delta) }, { n: String(after) }, after);
  };
}

function rowsOf(contents: Contents): Array<{ readonly row: number; readonly amount: number; readonly note: string }> {
  return Array.from({ length: ROW_KEYS }, (_, row) => row).flatMap((row) => {
    const text = contents.get(`r${row}`);
    if (text === undefined) return [];
    const [amount, note] = JSON.parse(text) as [number, string];
    return [{ row, amount, note }];
  });
}

const SQL_STEPS: readonly Generator[] = [
  // The missing rows, several of them in one statement.
  (source) => {
    const missing = someKeys(source, ROW_KEYS).filter((row) => !source.contents.has(`r${row}`));
    if (missing.length === 0) return byKeyUpdate(source);
    const rows = missing.map((row) => ({ row, amount: source.random.below(1000), note: source.fresh() }));
    const values = rows.map(
      ({ row, amount, note }) => `(${rowId(source.id, row)}, ${source.id}, ${amount}, '${note}')`,
    );
    return statement(`INSERT INTO Acc VALUES ${values.join(', ')}`, rowEffects(rows), rows.length);
  },
  (source) => byKeyUpdate(source),
  (source) => {
    const row = source.random.below(ROW_KEYS);
    const [amount, note] = [source.random.below(1000), source.fresh()];
    const args = [rowId(source.id, row), source.id, amount, note];
    const sql = 'MERGE INTO Acc (id, owner, amount, note) VALUES (?, ?, ?, ?)';
    return statement(sql, rowEffects([{ row, amount, note }]), 1, args);
  },
  // Over an index, several rows: all or none.
  ({ id, contents }) => {
    const rows = rowsOf(contents);
    const after = rows.map(({ row, amount, note }) => ({ row, amount: amount + 1, note }));
    return statement(`UPDATE Acc SET amount = amount + 1 WHERE owner = ${id}`, rowEffects(after), rows.length);
  },
  ({ id, random, contents }) => {
    const bound = random.below(1000);
    const rows = rowsOf(contents).filter(({ amount }) => amount < bound);
    const effects = Object.fromEntries(rows.map(({ row }) => [`r${row}`, null]));
    return statement(`DELETE FROM Acc WHERE owner = ${id} AND amount < ${bound}`, effects, rows.length);
  },
  ({ id, random, contents }) => {
    const row = random.below(ROW_KEYS);
    const there = contents.has(`r${row}`);
    return statement('DELETE FROM Acc WHERE id = ?', there ? { [`r${row}`]: null } : {}, there ? 1 : 0, [
      rowId(id, row),
    ]);
  },
];

function byKeyUpdate({ id, random, contents, fresh }: StepSource): Step {
  const row = random.below(ROW_KEYS);
  const there = contents.has(`r${row}`);
  const [amount, note] = [random.below(1000), fresh()];
  const args = [amount, note, rowId(id, row)];
  const effects = there ? rowEffects([{ row, amount, note }]) : {};
  return statement('UPDATE Acc SET amount = ?, note = ? WHERE id = ?', effects, there ? 1 : 0, args);
}

function rowEffects(rows: ReadonlyArray<{ row: number; amount: number; note: string }>): Effects {
  return Object.fromEntries(rows.map(({ row, amount, note }) => [`r${row}`, rowText(amount, note)]));
}

/** Caches: created, filled, emptied, destroyed. */
const CACHE_STEPS: readonly Generator[] = [
  (source) => {
    const cacheName = ownCache(source.id);
    if (!source.contents.has('own')) return step({ cmd: 'getorcreate', cacheName }, { own: 'yes' }, null);
    const key = source.random.below(OWN_KEYS);
    const val = source.fresh();
    return step({ cmd: 'put', cacheName, key: String(key), val }, { [`o${key}`]: val }, true);
  },
  (source) => {
    const cacheName = ownCache(source.id);
    const without = Object.fromEntries(Array.from({ length: OWN_KEYS }, (_, key) => [`o${key}`, null]));
    if (!source.contents.has('own') || source.random.fraction() < 0.5)
      return step({ cmd: 'destcache', cacheName }, { own: null, ...without }, null);
    return step({ cmd: 'clear', cacheName }, without, true);
  },
];

/** The columns of a client's table, in order, besides its key. */
const columnsOf = (contents: Contents): string[] | undefined => contents.get('t')?.split(',');

/** Tables: created, filled, indexed, altered, dropped. */
const TABLE_STEPS: readonly Generator[] = [
  (source) => {
    const { id, random, contents } = source;
    const table = ownTable(id);
    const columns = columnsOf(contents);
    if (columns === undefined) return statement(`CREATE TABLE ${table} (id INT PRIMARY KEY, a INT)`, { t: 'ID,A' }, 0);
    const row = random.below(OWN_KEYS);
    const a = random.below(1000);
    const after = columns.includes('B') ? `${a},${a}` : String(a);
    const values = columns.includes('B') ? `${row}, ${a}, ${a}` : `${row}, ${a}`;
    const names = columns.includes('B') ? 'id, a, b' : 'id, a';
    return statement(`MERGE INTO ${table} (${names}) VALUES (${values})`, { [`t${row}`]: after }, 1);
  },
  ({ id, contents }) => {
    const table = ownTable(id);
    if (!contents.has('t')) return statement(`DROP TABLE IF EXISTS ${table}`, {}, 0);
    if (contents.has('ti')) return statement(`DROP INDEX ${table}_a`, { ti: null }, 0);
    return statement(`CREATE INDEX ${table}_a ON ${table} (a)`, { ti: 'yes' }, 0);
  },
  ({ id, random, contents }) => {
    const table = ownTable(id);
    const columns = columnsOf(contents);
    if (columns === undefined) return statement(`DROP TABLE IF EXISTS ${table}`, {}, 0);
    const rows = Array.from({ length: OWN_KEYS }, (_, row) => `t${row}`);
    if (random.fraction() < 0.3) {
      const effects = Object.fromEntries(['t', 'ti', ...rows].map((name) => [name, null]));
      return statement(`DROP TABLE ${table}`, effects, 0);
    }
    const had = columns.includes('B');
    const after = rows.flatMap((name) => {
      const text = contents.get(name);
      return text === undefined ? [] : [[name, had ? (text.split(',')[0] ?? '') : `${text},null`]];
    });
    const change = had ? 'DROP COLUMN b' : 'ADD COLUMN b INT';
    return statement(`ALTER TABLE ${table} ${change}`, { t: had ? 'ID,A' : 'ID,A,B', ...Object.fromEntries(after) }, 0);
  },
];

/** An entry with a deadline, soon or in ten minutes, of a key that is used once. */
const expiringStep: Generator = (source) => {
  const [key, val] = [`x${source.id}.${source.fresh()}`, source.fresh()];
  const ttlMs = source.random.fraction() < 0.7 ? 20 + source.random.below(400) : 600_000;
  const params = { cmd: 'put', cacheName: 'expiring', key, val, exp: String(ttlMs) };
  return { ...step(params, {}, true), expiring: { key, value: val, ttlMs } };
};

/** An entry of a region that does not persist: it is gone after a kill. */
const temporaryStep: Generator = (source) =>
  step({ cmd: 'put', cacheName: 'temporary', key: entryKey(source.id, 0), val: source.fresh() }, {}, true);

/** The fraction of steps with an idempotency key. */
const KEYED = 0.4;

/** Chooses the next step. Some have an idempotency key, unless their changes may be gone after a kill. */
export function nextStep(source: StepSource): Step {
  const next = chosenStep(source);
  if (next.expiring !== undefined || next.params.cacheName === 'temporary' || next.params.cmd === 'get') return next;
  return source.random.fraction() < KEYED ? { ...next, key: source.fresh() } : next;
}

/** An entry, a counter and a row in one transaction, each of them changed once. */
const atomicStep: Generator = (source) => {
  const key = source.random.below(ENTRY_KEYS);
  const [val, note] = [source.fresh(), source.fresh()];
  const row = source.random.below(ROW_KEYS);
  const args = [rowId(source.id, row), source.id, source.random.below(1000), note];
  const [, , amount] = args;
  const sql = 'MERGE INTO Acc (id, owner, amount, note) VALUES (?, ?, ?, ?)';
  return atomic([
    step({ cmd: 'put', key: entryKey(source.id, key), val }, { [`e${key}`]: val }, true),
    counterStep('incr')(source),
    statement(sql, rowEffects([{ row, amount: Number(amount), note }]), 1, args),
  ]);
};

/** Chooses a step. One client in eight also changes the structure. */
function chosenStep(source: StepSource): Step {
  const { id, random } = source;
  const any = (generators: readonly Generator[]): Step =>
    (generators[random.below(generators.length)] ?? temporaryStep)(source);
  const chance = random.fraction();
  if (id % 8 === 0 && chance < 0.25) return any(random.fraction() < 0.5 ? CACHE_STEPS : TABLE_STEPS);
  if (chance < 0.6) return any(ENTRY_STEPS);
  if (chance < 0.7) return any(BULK_STEPS);
  if (chance < 0.72) return atomicStep(source);
  if (chance < 0.79) return any([counterStep('incr'), counterStep('incr'), counterStep('decr')]);
  if (chance < 0.93) return any(SQL_STEPS);
  return any([expiringStep, expiringStep, temporaryStep]);
}
