/** Copies caches with definitions and entries, and counters, to another grid; verifies the copy and can resume. */
import type { Clock } from '../../base/clock.ts';
import { gridError } from '../../base/errors.ts';
import type { CacheDefinition, Counter } from '../../grid/grid.ts';
import {
  checkInterrupted,
  checksumOf,
  compareEntries,
  copyEntries,
  type Differences,
  type Pair,
} from './copy-entries.ts';
import type { Progress } from './progress.ts';

export interface MigrationSettings extends Pair {
  readonly clock: Clock;
  /** Names of the caches; default: all. */
  readonly caches: readonly string[] | undefined;
  /** Counters besides those that the source lists. */
  readonly counters: readonly string[];
  /** Whether to replace caches with the same name in the target. */
  readonly overwrite: boolean;
  /** Backups of created partitioned caches; default: as in the source. */
  readonly backups: number | undefined;
  readonly progress: Progress;
  report(line: string): void;
}

/** Number of caches and counters that are equal, and of those that differ. */
export interface MigrationResult {
  readonly same: number;
  readonly different: number;
  /** Number of objects that are not copied; each has been reported. */
  readonly skipped: number;
}

/** Milliseconds between writes of the progress file; later batches are copied again after an interruption. */
const RECORD_MS = 1_000;
const REPORT_MS = 5_000;
const CONCURRENT_COUNTERS = 64;

/** Copies, verifies, reports and counts differences. Throws Interrupted after the signal, and errors of the grids. */
export async function migrateGrid(settings: MigrationSettings): Promise<MigrationResult> {
  const { report, signal } = settings;
  let same = 0;
  let different = 0;
  let indexes = 0;
  const definitions = await selectedCaches(settings);
  for (const definition of definitions) {
    checkInterrupted(signal);
    const isCopied = await migrateCache(settings, definition);
    if (isCopied && (await hasAffinityKeys(settings, definition))) same++;
    else different++;
    if (isCopied) indexes += await reportEntryIndexes(settings, definition);
  }
  const counters = await migrateCounters(settings);
  report(`counters: ${counters.same} the same in both${counters.different > 0 ? `, ${counters.different} not` : ''}`);
  const views = settings.caches === undefined ? await reportViews(settings) : 0;
  return {
    same: same + counters.same,
    different: different + counters.different,
    skipped: views + indexes + counters.skipped,
  };
}

/** Reports the views, which are not copied: each is text in its engine's dialect. Returns their number. */
async function reportViews({ source, report }: MigrationSettings): Promise<number> {
  const views = await source.transfer.views();
  for (const { name, query } of views) {
    report(`view ${name}: not copied, create it in the target${query === undefined ? '' : `: ${oneLine(query)}`}`);
  }
  return views.length;
}

/** Reports the indexes on paths that the target lacks, as a cluster does. Returns their number. */
async function reportEntryIndexes({ target, report }: MigrationSettings, definition: CacheDefinition): Promise<number> {
  const { name, entryIndexes = [] } = definition;
  if (entryIndexes.length === 0) return 0;
  const found = (await target.caches.find(name))?.entryIndexes ?? [];
  const missing = entryIndexes.filter((index) => !found.some((each) => each.name === index.name));
  for (const { name: index, path } of missing) report(`${name}: the index ${index} on the path ${path} is not copied`);
  return missing.length;
}

/** Tables whose affinity key the target's definition lacks are reported: the entries are there, but not colocated. */
async function hasAffinityKeys({ target, report }: MigrationSettings, definition: CacheDefinition): Promise<boolean> {
  const wanted = definition.entities.flatMap(({ affinityField }) => affinityField ?? []);
  if (wanted.length === 0) return true;
  const found = (await target.caches.find(definition.name))?.entities ?? [];
  const missing = wanted.filter((each) => !found.some(({ affinityField }) => affinityField === each));
  for (const each of missing) report(`${definition.name}: the affinity key ${each} is not copied`);
  return missing.length === 0;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** Adds indexes created by CREATE INDEX to a definition; a cluster reports them only in the metadata. */
async function withLaterIndexes({ source }: MigrationSettings, definition: CacheDefinition): Promise<CacheDefinition> {
  const [entity, second] = definition.entities;
  if (!entity || second || entity.fromSql !== true) return definition;
  const { indexes: byType } = await source.caches.metadata(definition.name);
  const known = new Set(entity.indexes?.map(({ name }) => name?.toUpperCase()));
  const later = Object.values(byType)
    .flat()
    .filter(({ name }) => !known.has(name.toUpperCase()))
    .map(({ name, fields, descendings, unique }) => ({
      name,
      fields: withoutAppendedKey(fields, entity.keyFields ?? []).map((field) => ({
        name: field,
        descending: descendings.includes(field),
      })),
      unique,
    }));
  return { ...definition, entities: [{ ...entity, indexes: [...(entity.indexes ?? []), ...later] }] };
}

/** A cluster appends the columns of the primary key to every index. */
function withoutAppendedKey(fields: readonly string[], keyFields: readonly string[]): readonly string[] {
  const own = fields.findLastIndex((field) => !keyFields.includes(field)) + 1;
  return own === 0 ? fields : fields.slice(0, own);
}

async function selectedCaches({ source, caches, report }: MigrationSettings): Promise<readonly CacheDefinition[]> {
  const all = await source.caches.list();
  const unknown = caches?.filter((name) => !all.some((each) => each.name === name)) ?? [];
  if (unknown.length > 0) throw gridError('MIGRATION_CACHES_UNKNOWN', unknown.join(', '));
  if (source.capabilities.knowsTimeToLive === false) {
    report('the source does not report times to live: entries are copied without expiry');
  }
  if (source.capabilities.listsAllCounters === false) {
    report('the source lists only counters used since its nodes started: specify others with --counters');
  }
  return caches === undefined ? all : all.filter(({ name }) => caches.includes(name));
}

/** Copies one cache; returns whether both have the same entries afterwards. */
async function migrateCache(settings: MigrationSettings, definition: CacheDefinition): Promise<boolean> {
  const { target, signal, overwrite, progress, report } = settings;
  const { name } = definition;
  const before = progress.of(name);
  if (before?.state === 'complete') {
    report(`${name}: already complete, skipped`);
    return true;
  }
  const whole = await withLaterIndexes(settings, definition);
  const created = await target.transfer.define(withBackups(whole, settings.backups));
  if (!created) await reportDifferentEntities(settings, definition);
  if (before === undefined && !created && (await target.port.call({ kind: 'size', cache: name }, {})) > 0) {
    const [own, other] = [await checksumOf(settings.source, name, signal), await checksumOf(target, name, signal)];
    if (own.equals(other)) {
      report(`${name}: ${own.count} entries, already the same in both (checksum ${own.text})`);
      progress.record(name, { state: 'complete' });
      return true;
    }
    if (!overwrite) {
      report(`${name}: not copied, the target has different data (${other.count} entries); --overwrite replaces it`);
      return false;
    }
    await target.port.call({ kind: 'clear', cache: name }, {});
  }
  return copyAndVerify(settings, name, before?.position);
}

function withBackups(definition: CacheDefinition, backups: number | undefined): CacheDefinition {
  return backups === undefined || definition.mode !== 'PARTITIONED' ? definition : { ...definition, backups };
}

/** Reports an existing target cache with different query entities, which it keeps. */
async function reportDifferentEntities(
  { target, report }: MigrationSettings,
  definition: CacheDefinition,
): Promise<void> {
  const found = await target.caches.find(definition.name);
  const [own, other] = [definition, found].map((each) =>
    (each?.entities ?? []).map(({ valueType, fields }) => [valueType, fields.map(({ name }) => name)]),
  );
  if (JSON.stringify(own) === JSON.stringify(other)) return;
  report(`${definition.name}: the target cache has different query entities, which it keeps`);
}

/** Copies the entries after `from`; records the progress periodically and on interruption. */
async function copyWithProgress(settings: MigrationSettings, name: string, from: string | undefined) {
  const { clock, progress, report } = settings;
  let copiedTo = from;
  const record = (): void =>
    progress.record(name, { state: 'copying', ...(copiedTo !== undefined && { position: copiedTo }) });
  record();
  let recordedMs = clock.monotonicMs();
  let reportedMs = recordedMs;
  try {
    return await copyEntries(settings, name, from, (position, count) => {
      const nowMs = clock.monotonicMs();
      copiedTo = position ?? copiedTo;
      if (nowMs - recordedMs > RECORD_MS) {
        record();
        recordedMs = nowMs;
      }
      if (nowMs - reportedMs > REPORT_MS) {
        report(`${name}: ${count} entries so far`);
        reportedMs = nowMs;
      }
    });
  } catch (error) {
    record();
    throw error;
  }
}

async function copyAndVerify(settings: MigrationSettings, name: string, from: string | undefined): Promise<boolean> {
  const { source, target, signal, progress, report } = settings;
  const { read, rejected } = await copyWithProgress(settings, name, from);
  const own = from === undefined ? read : await checksumOf(source, name, signal);
  const other = await checksumOf(target, name, signal);
  if (!own.equals(other)) {
    const differences = await compareEntries(settings, name);
    if (differences.count > 0 || rejected.count > 0) {
      report(`${name}: DIFFERENT, ${own.count} entries in the source, ${other.count} in the target`);
      for (const line of reportLines(rejected, differences)) report(`  ${line}`);
      return false;
    }
  }
  progress.record(name, { state: 'complete' });
  report(`${name}: ${other.count} entries copied and the same in both (checksum ${other.text})`);
  return true;
}

function reportLines(rejected: Differences, differences: Differences): string[] {
  // A rejected entry is also missing; the reason for the rejection is more useful.
  const shown = rejected.count > 0 ? rejected : differences;
  const more = shown.count - shown.reported.length;
  return more > 0 ? [...shown.reported, `and ${more} more`] : shown.reported;
}

async function migrateCounters(settings: MigrationSettings): Promise<MigrationResult> {
  const all = await settings.source.transfer.counters(settings.counters);
  const counters = all.filter((counter) => canCopy(settings, counter));
  let different = 0;
  for (let at = 0; at < counters.length; at += CONCURRENT_COUNTERS) {
    checkInterrupted(settings.signal);
    const some = counters.slice(at, at + CONCURRENT_COUNTERS);
    const results = await Promise.all(some.map((counter) => migrateCounter(settings, counter)));
    different += results.filter((isSame) => !isSame).length;
  }
  return { same: counters.length - different, different, skipped: all.length - counters.length };
}

/** Reports a counter that expires, if the target cache's counters cannot. */
function canCopy({ target, report }: MigrationSettings, { name, ttlMs }: Counter): boolean {
  if (ttlMs === undefined || target.capabilities.expiringCounters !== false) return true;
  report(`counter ${name}: not copied: it expires in ${ttlMs} ms, and counters of the target do not expire`);
  return false;
}

async function migrateCounter(
  { target, overwrite, report }: MigrationSettings,
  { name, value, ttlMs }: Counter,
): Promise<boolean> {
  const add = (delta: bigint, initial: bigint, ttl?: bigint) =>
    target.port.call({ kind: 'addToCounter', name, delta, initial, ttlMs: ttl }, {});
  // A new counter starts at the value.
  const found = await add(0n, value, ttlMs);
  if (found === value) return true;
  if (overwrite && (await add(BigInt.asIntN(64, value - found), value)) === value) return true;
  report(`counter ${name}: ${value} in the source, ${found} in the target${overwrite ? '' : '; --overwrite sets it'}`);
  return false;
}
