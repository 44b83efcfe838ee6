/** Copies caches with definitions and entries, and counters, to another grid; verifies the copy and can resume. */
import type { Clock } from '../../base/clock.ts';
import { fail } from '../../base/errors.ts';
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
  /** Counters beside those that the source lists. */
  readonly counters: readonly string[];
  /** Replaces caches of the same name in the target. */
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
}

/** Milliseconds between writes of the progress file; later batches are copied again after an interruption. */
const NOTE_MS = 1_000;
const REPORT_MS = 5_000;
const COUNTERS_AT_ONCE = 64;

/** Copies, verifies, reports and counts differences. Throws Interrupted after the signal, and errors of the grids. */
export async function migrateGrid(settings: MigrationSettings): Promise<MigrationResult> {
  const { report, signal } = settings;
  let same = 0;
  let different = 0;
  const definitions = await wanted(settings);
  for (const definition of definitions) {
    checkInterrupted(signal);
    if (await migrateCache(settings, definition)) same++;
    else different++;
  }
  const counters = await migrateCounters(settings);
  report(`counters: ${counters.same} the same in both${counters.different > 0 ? `, ${counters.different} not` : ''}`);
  return { same: same + counters.same, different: different + counters.different };
}

/** Adds indexes created by CREATE INDEX to a definition; a cluster reports them in the metadata only. */
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
      fields: withoutKeyBehind(fields, entity.keyFields ?? []).map((field) => ({
        name: field,
        descending: descendings.includes(field),
      })),
      unique,
    }));
  return { ...definition, entities: [{ ...entity, indexes: [...(entity.indexes ?? []), ...later] }] };
}

/** A cluster appends the columns of the primary key to every index. */
function withoutKeyBehind(fields: readonly string[], keyFields: readonly string[]): readonly string[] {
  const own = fields.findLastIndex((field) => !keyFields.includes(field)) + 1;
  return own === 0 ? fields : fields.slice(0, own);
}

async function wanted({ source, caches, report }: MigrationSettings): Promise<readonly CacheDefinition[]> {
  const all = await source.caches.list();
  const unknown = caches?.filter((name) => !all.some((each) => each.name === name)) ?? [];
  if (unknown.length > 0) throw fail('MIGRATION_CACHES_UNKNOWN', unknown.join(', '));
  if (source.capabilities.knowsTimeToLive === false) {
    report('the source does not tell what is left of the life of its entries: they are copied without an end');
  }
  if (source.capabilities.listsAllCounters === false) {
    report('the source lists only counters that were used since its nodes started: name others with --counters');
  }
  return caches === undefined ? all : all.filter(({ name }) => caches.includes(name));
}

/** Copies one cache; returns whether both have the same entries afterwards. */
async function migrateCache(settings: MigrationSettings, definition: CacheDefinition): Promise<boolean> {
  const { target, signal, overwrite, progress, report } = settings;
  const { name } = definition;
  const before = progress.of(name);
  if (before?.state === 'complete') {
    report(`${name}: complete already, skipped`);
    return true;
  }
  const whole = await withLaterIndexes(settings, definition);
  const created = await target.transfer.define(withBackups(whole, settings.backups));
  if (!created) await noteOtherStructure(settings, definition);
  if (before === undefined && !created && (await target.entries.size(name)) > 0) {
    const [own, other] = [await checksumOf(settings.source, name, signal), await checksumOf(target, name, signal)];
    if (own.equals(other)) {
      report(`${name}: ${own.count} entries, the same in both already (checksum ${own.text})`);
      progress.note(name, { state: 'complete' });
      return true;
    }
    if (!overwrite) {
      report(`${name}: refused, the target has other data in it (${other.count} entries); --overwrite replaces it`);
      return false;
    }
    await target.entries.clear(name);
  }
  return copyAndVerify(settings, name, before?.position);
}

function withBackups(definition: CacheDefinition, backups: number | undefined): CacheDefinition {
  return backups === undefined || definition.mode !== 'PARTITIONED' ? definition : { ...definition, backups };
}

/** Throws when the existing target cache has other columns: it keeps its definition. */
async function noteOtherStructure({ target, report }: MigrationSettings, definition: CacheDefinition): Promise<void> {
  const found = await target.caches.find(definition.name);
  const [own, other] = [definition, found].map((each) =>
    (each?.entities ?? []).map(({ valueType, fields }) => [valueType, fields.map(({ name }) => name)]),
  );
  if (JSON.stringify(own) === JSON.stringify(other)) return;
  report(`${definition.name}: the target has this cache with other query entities, which stay as they are`);
}

/** Copies the entries after `from`; records the progress periodically and on interruption. */
async function copyNoting(settings: MigrationSettings, name: string, from: string | undefined) {
  const { clock, progress, report } = settings;
  let reached = from;
  const note = (): void =>
    progress.note(name, { state: 'copying', ...(reached !== undefined && { position: reached }) });
  note();
  let notedMs = clock.monotonicMs();
  let reportedMs = notedMs;
  try {
    return await copyEntries(settings, name, from, (position, count) => {
      const nowMs = clock.monotonicMs();
      reached = position ?? reached;
      if (nowMs - notedMs > NOTE_MS) {
        note();
        notedMs = nowMs;
      }
      if (nowMs - reportedMs > REPORT_MS) {
        report(`${name}: ${count} entries so far`);
        reportedMs = nowMs;
      }
    });
  } catch (error) {
    note();
    throw error;
  }
}

async function copyAndVerify(settings: MigrationSettings, name: string, from: string | undefined): Promise<boolean> {
  const { source, target, signal, progress, report } = settings;
  const { read, rejected } = await copyNoting(settings, name, from);
  const own = from === undefined ? read : await checksumOf(source, name, signal);
  const other = await checksumOf(target, name, signal);
  if (!own.equals(other)) {
    const differences = await compareEntries(settings, name);
    if (differences.count > 0 || rejected.count > 0) {
      report(`${name}: DIFFERENT, ${own.count} entries in the source, ${other.count} in the target`);
      for (const line of told(rejected, differences)) report(`  ${line}`);
      return false;
    }
  }
  progress.note(name, { state: 'complete' });
  report(`${name}: ${other.count} entries copied and the same in both (checksum ${other.text})`);
  return true;
}

function told(rejected: Differences, differences: Differences): string[] {
  // A rejected entry is missing as well, and the reason of its rejection says more.
  const shown = rejected.count > 0 ? rejected : differences;
  const more = shown.count - shown.told.length;
  return more > 0 ? [...shown.told, `and ${more} more`] : shown.told;
}

async function migrateCounters(settings: MigrationSettings): Promise<MigrationResult> {
  const counters = await settings.source.transfer.counters(settings.counters);
  let different = 0;
  for (let at = 0; at < counters.length; at += COUNTERS_AT_ONCE) {
    checkInterrupted(settings.signal);
    const some = counters.slice(at, at + COUNTERS_AT_ONCE);
    const results = await Promise.all(some.map((counter) => migrateCounter(settings, counter)));
    different += results.filter((isSame) => !isSame).length;
  }
  return { same: counters.length - different, different };
}

async function migrateCounter(
  { target, overwrite, report }: MigrationSettings,
  { name, value }: Counter,
): Promise<boolean> {
  // A new counter starts at the value.
  const found = await target.counters.add(name, 0n, value);
  if (found === value) return true;
  if (overwrite && (await target.counters.add(name, BigInt.asIntN(64, value - found), value)) === value) return true;
  report(`counter ${name}: ${value} in the source, ${found} in the target${overwrite ? '' : '; --overwrite sets it'}`);
  return false;
}
