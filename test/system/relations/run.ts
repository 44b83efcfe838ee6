/**
 * Runs random histories on two services, many at a time, and restarts the services in between: after a stop, a kill,
 * from a backup, or from a data folder that was migrated there and back. A history that breaks a relation is made as
 * short as possible.
 */

import { expect } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pick, type RandomSource, seededRandom } from '../../fixtures/values/random-values.ts';
import { type ServiceOptions, startService } from '../service-process.ts';
import { checkFeed, checkImport, checkSide, comparable, LISTED_KEYS, type Place, type Seen } from './checks.ts';
import { type Entry, type Exact, exact, isRejected, type Outcome, runProgram, Side } from './pair.ts';
import { type Form, type History, historyOf, type Step } from './steps.ts';

const RESTARTS = ['stop', 'kill', 'backup', 'migrate'] as const;
type Restart = (typeof RESTARTS)[number];
/** The data of a cluster is neither backed up nor replaced. */
const CLUSTER_RESTARTS = ['stop', 'kill'] as const;

export interface Plan {
  readonly firstSeed: number;
  readonly histories: number;
  /** Histories between restarts. */
  readonly together: number;
  /**
   * One history in this many continues after the restart, as do all with configurations; the others end before it.
   */
  readonly restarted: number;
  readonly forms: readonly [Form, ...Form[]];
  /** How the first service starts again; default: each way in turn. */
  readonly restart?: Restart;
  /** Folder of the data. */
  readonly folder: string;
  /** Clusters that the services are in front of, an address each. */
  readonly clusters?: readonly string[];
  readonly onProgress?: (done: number) => void;
  /** Called before each group of histories; true ends the run. */
  readonly isOver?: () => boolean;
}

export interface Report {
  /** How many have run. */
  readonly histories: number;
  readonly requests: number;
  /** The relations that they broke. */
  readonly violations: readonly Violation[];
}

export interface Violation {
  readonly seed: number;
  readonly reason: string;
  /** The steps that suffice for it. */
  readonly steps: readonly string[];
}

/** Histories that run at once, and those that are checked at once, whose reads share requests. */
const AT_ONCE = 16;
/** A node answers no client while it creates caches. */
const AT_ONCE_IN_CLUSTERS = 4;
const CHECKED_AT_ONCE = 200;
/** Histories whose caches exist at the same time, except those that wait for the restart. */
const WAVE = 60;
/** Attempts to make a history shorter. */
const MOST_ATTEMPTS = 120;
/** Violations that are made shorter. */
const MOST_SHRUNK = 5;
/** One history in this many has its export imported. */
const IMPORTED = 4;
const SETTLE_MS = 3;

class Pair {
  readonly sides: readonly [Side, Side];
  readonly isCluster: boolean;
  /** Histories that run at once. */
  readonly atOnce: number;

  constructor(sides: readonly [Side, Side]) {
    this.sides = sides;
    this.isCluster = sides[0].cluster !== undefined;
    this.atOnce = this.isCluster ? AT_ONCE_IN_CLUSTERS : AT_ONCE;
  }

  both<T>(run: (side: Side, at: 0 | 1) => Promise<T>): Promise<[T, T]> {
    return Promise.all([run(this.sides[0], 0), run(this.sides[1], 1)]);
  }
}

/** A history while it runs. */
interface Run {
  readonly history: History;
  readonly place: Place;
  failure: string | undefined;
  /** Whether it failed before the restart. */
  early: boolean;
  /** What both sides had before the restart. */
  seen?: readonly [Seen, Seen];
}

/** Rejections have the texts of their ways. */
function shown(outcome: Outcome): Exact {
  return isRejected(outcome) ? 'rejected' : outcome.response;
}

function named({ cache, table }: Place, text: string): string {
  return text.replaceAll('<T>', table).replaceAll('<N>', cache).replaceAll('<C>', cache);
}

async function runStep(pair: Pair, run: Run, step: Step): Promise<void> {
  const { history, place } = run;
  const { cache } = place;
  switch (step.kind) {
    case 'expired':
    case 'operation': {
      const { operation, ways } = step;
      if (history.form !== 'ways' && history.form !== 'cluster' && operation.cmd === 'put' && 'val' in operation) {
        // Values that a declaration rejects are stored nowhere.
        const [, declared] = pair.sides;
        if (isRejected(await declared.send(cache, operation, ways[1]))) return;
        expect([operation, shown(await pair.sides[0].send(cache, operation, ways[0]))]).toEqual([operation, true]);
        return;
      }
      const [one, two] = await pair.both((side, at) => side.send(cache, operation, ways[at]));
      expect([operation, shown(two)]).toEqual([operation, shown(one)]);
      if (step.kind === 'expired') await Bun.sleep(SETTLE_MS);
      return;
    }
    case 'batch':
      return runBatch(pair, cache, step);
    case 'statement': {
      const text = named(place, step.text);
      if (step.side !== undefined) {
        await pair.sides[step.side].statement(text);
        return;
      }
      const before = step.dry === true ? await pair.sides[0].entries(cache) : undefined;
      const dry =
        step.dry === true ? await pair.sides[0].statement(text, { cmd: 'dryrun', of: 'qryfldexe' }) : undefined;
      if (before !== undefined) expect([text, await pair.sides[0].entries(cache)]).toEqual([text, before]);
      const [one, two] = await pair.both((side) => side.statement(text));
      // Only the statement itself converts what is stored.
      const isUnfit = isRejected(one) && /not fit the table|several names|in several ways/.test(one.error);
      if (dry !== undefined && !isUnfit)
        expect(['dry run', text, isRejected(dry)]).toEqual(['dry run', text, isRejected(one)]);
      expect([text, two]).toEqual([text, one]);
      return;
    }
    case 'row':
      return runRow(pair, place, history, step);
    case 'search':
      return runSearch(pair, place, history, step);
    case 'check':
      await checkBoth(pair, run);
  }
}

async function runBatch(pair: Pair, cache: string, step: Extract<Step, { kind: 'batch' }>): Promise<void> {
  const { operations, atomic, side: at, way } = step;
  const [side, other] = [pair.sides[at], pair.sides[at === 0 ? 1 : 0]];
  const dry = await side.dryBatch(cache, operations);
  const together = await side.batch(cache, operations, atomic);
  if (isRejected(together)) {
    // An atomic batch that failed is none.
    expect([operations, atomic]).toEqual([operations, true]);
    expect([operations, isRejected(dry)]).toEqual([operations, true]);
    return;
  }
  const members = together.response as readonly Exact[];
  const outcomes = members.map((each) => {
    const { error, response } = each as { readonly error: Exact; readonly response: Exact };
    return error === null ? response : 'rejected';
  });
  const singles: Exact[] = [];
  for (const operation of operations) singles.push(shown(await other.send(cache, operation, way)));
  expect([operations, outcomes]).toEqual([operations, singles]);
  if (atomic) {
    const foreseen = isRejected(dry) ? dry.error : (dry.response as { readonly response: readonly Exact[] }).response;
    expect(['dry run', operations, foreseen]).toEqual(['dry run', operations, members]);
  }
}

/** A row that a statement writes is the object that a put stores. */
async function runRow(pair: Pair, place: Place, history: History, step: Extract<Step, { kind: 'row' }>): Promise<void> {
  const { cache, table } = place;
  const [side, other] = [pair.sides[step.side], pair.sides[step.side === 0 ? 1 : 0]];
  const known = await side.read({ cmd: 'qryfldexe', pageSize: 1, qry: `SELECT * FROM ${table} LIMIT 0` });
  if (isRejected(known)) return;
  const { fieldsMetadata } = known.response as unknown as {
    readonly fieldsMetadata: ReadonlyArray<{ readonly fieldName: string; readonly fieldTypeName: string }>;
  };
  const isComposite = typeof step.key === 'object' && step.key !== null;
  const keyOf = (name: string): unknown =>
    isComposite ? (step.key as Readonly<Record<string, unknown>>)[name] : name === 'K' ? step.key : undefined;
  const columns = fieldsMetadata.map(({ fieldName }) => fieldName).filter((name) => keyOf(name) === undefined);
  const fieldValue = (column: string): unknown => step.fields[column.toLowerCase()] ?? null;
  // Without a value there is no object to compare.
  if (columns.length === 0) return;
  // In the object of a row, an added column that is NULL is not a field; in the object of a put, null is one.
  if (columns.some((column) => fieldValue(column) === null && isAdded(history, step, column))) return;
  const val = Object.fromEntries(columns.map((column) => [column, fieldValue(column)]));
  const put = { cmd: 'put', keyType: history.keyType, key: step.key, val, valueType: history.valueType };
  const body = { ...(isComposite ? (step.key as object) : { K: step.key }), ...val };
  const line = `${JSON.stringify(body)}\n`;
  const stored = await other.send(cache, put, 'json');
  const imported = await side.importLines({ table, onDuplicate: 'replace' }, line);
  if (isRejected(stored) !== isRejected(imported)) throw new Error(`${JSON.stringify([put, stored, imported])}`);
}

/** Whether a step before may have added the column to a table that exists. */
function isAdded({ before, after }: History, step: Step, column: string): boolean {
  const addition = new RegExp(`ADD COLUMN.* "?${column}\\b`, 'i');
  const steps = [...before, ...after];
  return steps
    .slice(0, steps.indexOf(step))
    .some((each) => each.kind === 'statement' && each.dry !== true && addition.test(each.text));
}

async function runSearch(
  pair: Pair,
  place: Place,
  { keyType }: History,
  step: Extract<Step, { kind: 'search' }>,
): Promise<void> {
  const { cache } = place;
  const { field, type, value } = step;
  const path = `JSON_VALUE(_val, '$.${field}' RETURNING ${type})`;
  const text = `SELECT _key, ${path} FROM "${cache}".ENTRIES WHERE ${path} = '${value.replaceAll("'", "''")}' ORDER BY _key`;
  const [one, two] = await pair.both((side) => side.statement(text));
  expect([text, two]).toEqual([text, one]);
  if (!LISTED_KEYS.has(keyType)) return;
  const query = new URLSearchParams({ [field]: `eq.${value}`, keyType, select: 'key,value' });
  const [first, second] = await pair.both((side) => side.text(`/caches/${cache}/entries?${query}`));
  // The order of the fields is that of the objects, or of their columns.
  expect([String(query), exact(second)]).toEqual([String(query), exact(first)]);
}

async function checkBoth(pair: Pair, { history, place }: Run): Promise<[Seen, Seen]> {
  const [one, two] = await pair.both((side) => checkSide(side, place, history));
  // Until both have declared, values have the types of their JSON.
  if (history.form === 'ways' || history.form === 'cluster')
    expect(comparable(two.entries)).toEqual(comparable(one.entries));
  return [one, two];
}

/**
 * The names of fields are those of the objects, or of the columns where no object existed before. Objects keep their
 * order; those put later have the order of the columns.
 */
function folded(found: readonly Entry[]): unknown {
  return found.map(({ value, ...entry }) => {
    const fields = Object.entries(value ?? {}).map(([name, field]) => [name.toUpperCase(), field] as const);
    return { ...entry, value: typeof value === 'object' ? Object.fromEntries(fields) : value };
  });
}

async function runBefore(pair: Pair, run: Run): Promise<void> {
  const { history, place } = run;
  const { form, before, declaration } = history;
  const { cache } = place;
  const create = { cmd: 'getorcreate', cacheName: cache };
  if (form === 'configuration') await pair.sides[0].json(create);
  else if (declaration !== undefined) {
    const outcomes = await pair.both((side) => side.statement(named(place, declaration)));
    const created = { response: [['#0']] };
    expect([declaration, outcomes]).toEqual([declaration, [created, created]]);
  } else
    await pair.both((side, at) => side.json({ ...create, ...(history.hasFeed && at === 0 && { changeFeed: true }) }));
  const declared = new Set<Step>();
  if (form === 'order') {
    for (const step of before) {
      if (step.kind !== 'statement') continue;
      if (!isRejected(await pair.sides[1].statement(named(place, step.text)))) declared.add(step);
    }
  }
  for (const step of before) {
    if (form !== 'order' || step.kind !== 'statement') await runStep(pair, run, step);
    else if (declared.has(step)) {
      const outcome = await pair.sides[0].statement(named(place, step.text));
      expect([step.text, outcome]).toEqual([step.text, { response: [['#0']] }]);
    }
  }
}

async function checkBefore(pair: Pair, run: Run): Promise<void> {
  const { history, place } = run;
  const seen = await checkBoth(pair, run);
  run.seen = seen;
  const [one, two] = seen;
  if (history.form === 'order') expect(folded(one.entries)).toEqual(folded(two.entries));
  if (history.hasFeed && history.form !== 'configuration') await checkFeed(pair.sides[0], place, history, one);
}

/** Some caches are exported, cleared and imported before the restart. */
async function checkImports(pair: Pair, runs: readonly Run[]): Promise<void> {
  const some = runs.filter(({ history }) => history.seed % IMPORTED === 0);
  await forEach(some, [pair.atOnce, true], async ({ place, seen }) => {
    if (seen !== undefined) await checkImport(pair.sides[0], place, seen[0]);
  });
}

/** After the restart. */
async function checkAgain(pair: Pair, run: Run, restarts: readonly Restart[]): Promise<void> {
  const { history, seen } = run;
  const again = await checkBoth(pair, run);
  if (history.form === 'configuration') {
    const [one, two] = again;
    expect(folded(one.entries)).toEqual(folded(two.entries));
    return;
  }
  // Entries arrive in the target with the time that is left, some milliseconds later.
  const shown = (all: readonly [Seen, Seen] | undefined): unknown =>
    all?.map(({ entries, rows }, at) => [restarts[at] === 'migrate' ? comparable(entries) : entries, rows]);
  expect(['restart', restarts, shown(again)]).toEqual(['restart', restarts, shown(seen)]);
}

/** Runs `action` for all runs that have not failed, some at a time. */
async function forEach(
  runs: readonly Run[],
  [atOnce, isEarly]: readonly [number, boolean],
  action: (run: Run) => Promise<void>,
): Promise<void> {
  const waiting = runs.filter(({ failure }) => failure === undefined);
  const work = async (): Promise<void> => {
    for (let run = waiting.shift(); run !== undefined; run = waiting.shift()) {
      try {
        await action(run);
      } catch (error) {
        run.failure = error instanceof Error ? error.message : String(error);
        run.early = isEarly;
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

function configuration(folder: string, runs: readonly Run[], at: 0 | 1): string {
  const caches = runs.flatMap(({ history: { entities }, place: { cache } }) =>
    entities === undefined ? [] : { name: cache, entities: [entities[at]] },
  );
  const file = join(folder, 'svc.config.mjs');
  writeFileSync(file, `export default ${JSON.stringify({ caches })};\n`);
  return file;
}

async function startSide(folder: string, workers: number, config?: string, cluster?: string): Promise<Side> {
  const options: ServiceOptions = {
    dataDir: join(folder, 'data'),
    startLimitMs: 120_000,
    env: {
      SVC_WORKERS: String(workers),
      SVC_LOG_LEVEL: 'warn',
      // More would compile the same code for few statements each.
      SVC_QUERY_PROCESSES: '1',
      SVC_LIMITS_QUEUE_MS: '60000',
      ...(config !== undefined && { SVC_CONFIG: config }),
      ...(cluster !== undefined && { SVC_ENGINE: 'cluster', SVC_ENDPOINTS: cluster }),
    },
  };
  return new Side(await startService(options), cluster);
}

/** Ends a service and starts it again, with what it has stored, under a configuration. */
async function again(side: Side, folder: string, how: Restart, workers: number, config: string): Promise<void> {
  const data = join(folder, 'data');
  if (how === 'backup') {
    const file = join(folder, 'all.svcbackup');
    const answer = await fetch(`${side.service.url}?cmd=backup&stream=true`);
    if (!answer.ok) throw new Error(await answer.text());
    await Bun.write(file, answer);
    await side.service.stop();
    rmSync(data, { recursive: true });
    await runProgram(['restore', file, '--to', data]);
    rmSync(file);
  } else if (how === 'kill') await side.service.kill();
  else await side.service.stop();
  if (how === 'migrate') {
    const copy = join(folder, 'copy');
    await runProgram(['migrate', '--from', data, '--to', copy]);
    rmSync(data, { recursive: true });
    await runProgram(['migrate', '--from', copy, '--to', data, '--config', config]);
    rmSync(copy, { recursive: true });
  }
  side.service = (await startSide(folder, workers, config, side.cluster)).service;
}

function runOf(history: History, attempt = ''): Run {
  const cache = `R${history.seed}${attempt}`;
  const table = history.form === 'configuration' ? `"${cache}".R` : cache;
  return { history, place: { cache, table }, failure: undefined, early: false };
}

/** Runs `action` with two services that declare what the histories need at first. */
async function withPair<T>(
  { folder, clusters = [] }: Plan,
  runs: readonly Run[],
  action: (pair: Pair, folders: readonly [string, string]) => Promise<T>,
): Promise<T> {
  const own = mkdtempSync(join(folder, 'pair-'));
  const folders = [join(own, '0'), join(own, '1')] as const;
  for (const each of folders) mkdirSync(each);
  const pair = new Pair([
    await startSide(folders[0], 1, undefined, clusters[0]),
    await startSide(folders[1], 2, configuration(folders[1], runs, 0), clusters[1]),
  ]);
  try {
    return await action(pair, folders);
  } finally {
    await pair.both((side) => side.service.stop());
    rmSync(own, { recursive: true, force: true });
  }
}

interface Group {
  readonly failed: readonly Run[];
  readonly requests: number;
}

/** Runs the rest of the histories, and checks them once more. */
async function finish(pair: Pair, runs: readonly Run[], isEarly: boolean): Promise<void> {
  // The sides may name fields differently from here on.
  const changing = runs.filter(({ history }) => history.form !== 'order');
  await forEach(changing, [pair.atOnce, isEarly], async (run) => {
    for (const step of run.history.after) await runStep(pair, run, step);
  });
  await forEach(changing, [CHECKED_AT_ONCE, isEarly], async (run) => {
    await checkBoth(pair, run);
  });
}

/**
 * Runs histories, in waves, since each definition makes all connections read those of all tables again. Those with a
 * restart in between, of `restarted` histories one, stay until all have run; the caches of others are destroyed.
 */
async function runTogether(
  histories: readonly History[],
  plan: Plan,
  restarts: readonly [Restart, Restart],
): Promise<Group> {
  const runs = histories.map((history) => runOf(history));
  return withPair(plan, runs, async (pair, folders) => {
    const kept = runs.filter(({ history }) => history.form === 'configuration' || history.seed % plan.restarted === 0);
    const waiting = new Set(kept);
    for (let from = 0; from < runs.length; from += WAVE) {
      const wave = runs.slice(from, from + WAVE);
      await forEach(wave, [pair.atOnce, true], (run) => runBefore(pair, run));
      await forEach(wave, [CHECKED_AT_ONCE, true], (run) => checkBefore(pair, run));
      await checkImports(pair, wave);
      const ended = wave.filter((run) => !waiting.has(run));
      await finish(pair, ended, true);
      for (const { place } of ended) await pair.both((side) => side.destroy(place));
    }
    await Promise.all([
      again(pair.sides[0], folders[0], restarts[0], 1, configuration(folders[0], runs, 1)),
      again(pair.sides[1], folders[1], restarts[1], 2, configuration(folders[1], runs, 1)),
    ]);
    await forEach(kept, [CHECKED_AT_ONCE, false], (run) => checkAgain(pair, run, restarts));
    await finish(pair, kept, false);
    // Clusters stay.
    if (plan.clusters !== undefined) for (const { place } of kept) await pair.both((side) => side.destroy(place));
    const [one, two] = pair.sides;
    const failed = runs.filter(({ failure }) => failure !== undefined);
    return { failed, requests: one.requests + two.requests };
  });
}

/** Leaves out steps as long as the history still breaks a relation. */
async function shrink(run: Run, plan: Plan, restarts: readonly [Restart, Restart]): Promise<Run> {
  let shortest = run;
  let attempts = 0;
  const shorten = async (fails: (history: History) => Promise<Run | undefined>): Promise<void> => {
    const attempt = async (changed: Partial<History>): Promise<boolean> => {
      if (attempts++ >= MOST_ATTEMPTS) return false;
      const failed = await fails({ ...shortest.history, ...changed });
      if (failed !== undefined) shortest = failed;
      return failed !== undefined;
    };
    for (const part of ['after', 'before'] as const) {
      if (await attempt({ [part]: [] })) continue;
      for (let size = Math.ceil(shortest.history[part].length / 2); size >= 1; size = size >> 1) {
        for (let from = 0; from < shortest.history[part].length; ) {
          const steps = shortest.history[part];
          if (!(await attempt({ [part]: steps.toSpliced(from, size) }))) from += size;
        }
      }
    }
  };
  // Without a restart, two services serve all attempts.
  if (run.early && run.history.form !== 'configuration') {
    await withPair(plan, [], (pair) =>
      shorten(async (history) => {
        const again = runOf(history, `_${attempts}`);
        await forEach([again], [1, true], async (each) => {
          await runBefore(pair, each);
          await checkBefore(pair, each);
        });
        await checkImports(pair, [again]);
        if (history.seed % plan.restarted !== 0) await finish(pair, [again], true);
        return again.failure === undefined ? undefined : again;
      }),
    );
  } else await shorten(async (history) => (await runTogether([history], plan, restarts)).failed[0]);
  return shortest;
}

function describe({ history, failure = '' }: Run, restarts: readonly Restart[]): Violation {
  const steps = [
    `${history.form}, keys of ${history.keyType}`,
    ...(history.declaration === undefined ? [] : [history.declaration]),
    ...(history.entities?.map((entity) => JSON.stringify(entity)) ?? []),
    ...history.before.map((step) => JSON.stringify(step)),
    restarts.join(' and '),
    ...history.after.map((step) => JSON.stringify(step)),
  ];
  return { seed: history.seed, reason: failure, steps };
}

export async function runHistories(plan: Plan): Promise<Report> {
  const { firstSeed, histories, together, forms, onProgress, isOver = () => false } = plan;
  let requests = 0;
  const random: RandomSource = seededRandom(firstSeed);
  const all = plan.clusters === undefined ? RESTARTS : CLUSTER_RESTARTS;
  const violations: Violation[] = [];
  let done = 0;
  for (; done < histories && !isOver(); done += together) {
    const restarts: readonly [Restart, Restart] = [
      plan.restart ?? all[(done / together) % all.length] ?? 'stop',
      pick(random, ['stop', 'kill']),
    ];
    const count = Math.min(together, histories - done);
    const made = Array.from({ length: count }, (_, index) => historyOf(firstSeed + done + index, forms));
    const group = await runTogether(made, plan, restarts);
    requests += group.requests;
    for (const failed of group.failed) {
      const kept = violations.length < MOST_SHRUNK ? await shrink(failed, plan, restarts) : failed;
      violations.push(describe(kept, restarts));
      const { seed, reason, steps } = violations.at(-1) ?? describe(failed, restarts);
      process.stderr.write(`seed ${seed}: ${reason}\n${steps.join('\n')}\n\n`);
    }
    onProgress?.(done + count);
  }
  return { histories: Math.min(done, histories), requests, violations };
}
