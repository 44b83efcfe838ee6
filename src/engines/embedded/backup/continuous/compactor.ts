/**
 * Merges objects by age and removes those that are no longer needed: single intervals become steps of 30 s, 5 minutes
 * and an hour, and each day's snapshot is merged from the previous one. Objects are removed only if others lead past
 * the same positions, or if the retention has ended.
 */
import type { Clock } from '../../../../base/clock.ts';
import { gridError } from '../../../../base/errors.ts';
import {
  type Destination,
  LOWEST_LEVEL,
  type ObjectName,
  positionText,
  SNAPSHOT_LEVEL,
  type StoredObject,
} from './destination.ts';
import { type DecodedPage, encodeLtx, LtxDecoder, type LtxHeader, type LtxPage, PageHashes } from './ltx-format.ts';
import type { OwnedDestination } from './owned-destination.ts';
import { planRestore } from './restore-plan.ts';

const DAY_MS = 86_400_000;

interface Step {
  readonly level: number;
  readonly stepMs: number;
  /** Objects of the level are kept for this long, unless the retention is shorter. */
  readonly keepMs: number;
}

/**
 * Time between the states of each level above the lowest, and how long they are kept; docs/backup.md documents these.
 */
const FINE_STEP_MS = 30_000;
const FINE_STEPS_MS = 3 * DAY_MS;
const STEP_MS = 5 * 60_000;
const STEPS_MS = 7 * DAY_MS;
const COARSE_STEP_MS = 3_600_000;

/** Levels above the lowest, as Litestream numbers and spaces them. */
const STEPS: readonly Step[] = [
  { level: 1, stepMs: FINE_STEP_MS, keepMs: FINE_STEPS_MS },
  { level: 2, stepMs: STEP_MS, keepMs: STEPS_MS },
  { level: 3, stepMs: COARSE_STEP_MS, keepMs: Number.POSITIVE_INFINITY },
];

/** Number of pages merged before messages are received again. */
const PAGES_AT_ONCE = 256;

export interface CompactorOptions {
  readonly destination: OwnedDestination;
  readonly clock: Clock;
  /** How long objects of single intervals are kept. */
  readonly pitrWindowMs: number;
  readonly retentionMs: number;
  /**
   * Ensures that no service relies any longer on names of level 0 before a position, which others may use from then on.
   * Resolves with the positions whose objects nevertheless stay, or null if that failed. Undefined if no service relies
   * on them.
   */
  readonly raiseBase?: ((position: string) => Promise<readonly string[] | null>) | undefined;
}

export class Compactor {
  readonly #options: CompactorOptions;

  constructor(options: CompactorOptions) {
    this.#options = options;
  }

  /**
   * Merges and removes the objects that are due. Throws BACKUP_DAMAGED, and errors of the destination; sources are then
   * kept.
   */
  async run(): Promise<void> {
    for (const step of STEPS) while (await this.#mergeNext(step));
    await this.#mergeSnapshot();
    await this.#removeOld();
  }

  /** Merges the objects of the oldest step that has ended. Returns false if there is none. */
  async #mergeNext({ level, stepMs }: Step): Promise<boolean> {
    const sources = await this.#unmerged(level);
    const [first] = sources;
    if (first === undefined) return false;
    const endMs = (Math.floor(first.timestampMs / stepMs) + 1) * stepMs;
    if (endMs > this.#options.clock.nowMs()) return false;
    const inputs: StoredObject[] = [];
    for (const source of sources) {
      const reached = inputs.at(-1)?.last;
      // Contained in another object, which an earlier owner has merged at other times.
      if (reached !== undefined && source.last <= reached) continue;
      // After a snapshot that started over, nothing leads from the objects before it to those after it.
      if (source.timestampMs >= endMs || (reached !== undefined && source.first > reached + 1n)) break;
      inputs.push(source);
    }
    await this.#merge(level, inputs);
    return true;
  }

  /**
   * Returns the unmerged objects of the level below, in order. The first one follows something that is kept at least as
   * long: if it does not, an object has landed since the objects were listed, and they are listed again. Throws
   * BACKUP_DAMAGED if one is missing: the following ones would lead nowhere.
   */
  async #unmerged(level: number): Promise<readonly StoredObject[]> {
    const { destination } = this.#options;
    for (let isNew = false; ; isNew = true) {
      const objects = await destination.objects();
      const merged = rangesOf(objects.filter((each) => each.level >= level && each.level < SNAPSHOT_LEVEL));
      const sources = objects
        .filter((each) => each.level === level - 1 && !isWithin(each, merged))
        .sort((a, b) => (a.first === b.first ? (a.last > b.last ? -1 : 1) : a.first < b.first ? -1 : 1));
      const [first] = sources;
      if (first === undefined || isFollowing(first, objects, level)) return sources;
      if (isNew) {
        throw gridError(
          'BACKUP_DAMAGED',
          `the object that follows position ${positionText(first.first - 2n)} is missing`,
        );
      }
      await destination.relist();
    }
  }

  /** Makes a snapshot of what the objects of the highest level lead to, if the last one is a day older, or absent. */
  async #mergeSnapshot(): Promise<void> {
    const objects = await this.#options.destination.objects();
    const snapshot = newest(objects, SNAPSHOT_LEVEL);
    const target = newest(objects, STEPS.at(-1)?.level ?? LOWEST_LEVEL);
    if (target === undefined || target.last <= (snapshot?.last ?? 0n)) return;
    if (snapshot !== undefined && target.timestampMs - snapshot.timestampMs < DAY_MS) return;
    const plan = await planRestore(this.#options.destination, objects, { position: target.last });
    await this.#merge(SNAPSHOT_LEVEL, plan);
  }

  async #merge(level: number, inputs: readonly StoredObject[]): Promise<void> {
    const { destination } = this.#options;
    const { header, runs } = await this.#open(inputs);
    const name = { level, first: header.firstTransaction, last: header.lastTransaction };
    const bytes = await destination.create(name, header.timestampMs, encodeLtx(header, runs), inputs);
    if (bytes !== undefined) return;
    if (!(await this.#isMergedFrom(name, inputs))) {
      throw gridError(
        'BACKUP_DAMAGED',
        `an object of level ${level} and position ${positionText(name.last)} has other pages`,
      );
    }
    // An earlier owner's, which has landed since the objects were listed.
    await destination.relist();
  }

  /** Compares an object, page by page, with the merged pages of others. */
  async #isMergedFrom(name: ObjectName, inputs: readonly StoredObject[]): Promise<boolean> {
    const found = await Input.open(this.#options.destination, name);
    const { header, runs } = await this.#open(inputs);
    if (found.header.pages !== header.pages || found.header.pageBytes !== header.pageBytes) return false;
    for await (const run of runs) {
      for (const { number, bytes } of run) {
        if (found.page?.number !== number || Buffer.compare(found.page.bytes, bytes) !== 0) return false;
        await found.advance();
      }
    }
    return found.page === undefined;
  }

  /** Opens objects to be merged. Returns the header of the result, and its pages. */
  async #open(
    inputs: readonly StoredObject[],
  ): Promise<{ readonly header: LtxHeader; readonly runs: AsyncGenerator<LtxPage[]> }> {
    const { destination, clock } = this.#options;
    const opened = await Promise.all(inputs.map((input) => Input.open(destination, input)));
    const first = opened[0]?.header;
    const last = opened.at(-1)?.header;
    if (first === undefined || last === undefined) throw new TypeError('nothing to merge');
    const header: LtxHeader = { ...last, firstTransaction: first.firstTransaction };
    return { header, runs: merged(opened, header, clock) };
  }

  async #removeOld(): Promise<void> {
    const { destination, clock, pitrWindowMs, retentionMs, raiseBase } = this.#options;
    const nowMs = clock.nowMs();
    const objects = await destination.objects();
    const ended = objects.filter((each) => each.level === SNAPSHOT_LEVEL && each.timestampMs <= nowMs - retentionMs);
    const beginning = ended.reduce((least, { last }) => (last > least ? last : least), 0n);
    const removed: StoredObject[] = [];
    const ages = [{ level: LOWEST_LEVEL, keepMs: pitrWindowMs }, ...STEPS];
    for (let level = LOWEST_LEVEL; level <= SNAPSHOT_LEVEL; level++) {
      const keepMs = ages.find((each) => each.level === level)?.keepMs ?? Number.POSITIVE_INFINITY;
      const merged = rangesOf(objects.filter((each) => each.level > level && each.level < SNAPSHOT_LEVEL));
      for (const object of objects) {
        if (object.level !== level) continue;
        const { last, timestampMs } = object;
        const isBefore = level === SNAPSHOT_LEVEL ? last < beginning : last <= beginning;
        if (isBefore || (timestampMs < nowMs - keepMs && isWithin(object, merged))) removed.push(object);
      }
    }
    const end = removed.reduce((most, { level, last }) => (level === LOWEST_LEVEL && last > most ? last : most), 0n);
    const kept = end === 0n || raiseBase === undefined ? [] : await raiseBase(positionText(end + 1n));
    if (kept === null) throw new Error('the record of the primary could not be changed');
    const stays = new Set(kept);
    for (const object of removed) {
      if (object.level !== LOWEST_LEVEL || !stays.has(positionText(object.last))) await destination.remove(object);
    }
  }
}

/** An object being merged: its pages in order of their numbers. */
class Input {
  readonly header: LtxHeader;
  readonly #pages: AsyncGenerator<DecodedPage, void>;
  /** The next page, or undefined after the last one. */
  page: DecodedPage | undefined;

  private constructor(header: LtxHeader, pages: AsyncGenerator<DecodedPage, void>) {
    this.header = header;
    this.#pages = pages;
  }

  static async open(destination: Destination, object: ObjectName): Promise<Input> {
    const name = `${positionText(object.first)}-${positionText(object.last)} of level ${object.level}`;
    const decoder = new LtxDecoder(name, destination.read(object, true));
    const header = await decoder.header();
    if (header.firstTransaction !== object.first || header.lastTransaction !== object.last) {
      throw gridError('BACKUP_DAMAGED', `the object ${name} contains positions that its name does not say`);
    }
    const input = new Input(header, decoder.pages(header));
    await input.advance();
    return input;
  }

  async advance(): Promise<void> {
    const next = await this.#pages.next();
    this.page = next.done === true ? undefined : next.value;
  }
}

/** Yields the last version of each page. Throws BACKUP_DAMAGED if a snapshot differs from its hash. */
async function* merged(
  inputs: readonly Input[],
  { pages, firstTransaction, databaseHash }: LtxHeader,
  clock: Clock,
): AsyncGenerator<LtxPage[]> {
  const hashes = firstTransaction === 1n && databaseHash !== undefined ? new PageHashes(databaseHash.by) : undefined;
  for (let run: LtxPage[] = []; ; ) {
    const number = inputs.reduce((least, { page }) => Math.min(least, page?.number ?? least), Number.POSITIVE_INFINITY);
    let last: DecodedPage | undefined;
    for (const input of inputs) {
      if (input.page?.number !== number) continue;
      last = input.page;
      await input.advance();
    }
    if (last !== undefined && number <= pages) {
      run.push(last);
      hashes?.add(last);
    }
    if (last !== undefined && run.length < PAGES_AT_ONCE) continue;
    yield run;
    if (last === undefined) break;
    run = [];
    await new Promise<void>((resolve) => clock.nextTick(resolve));
  }
  if (databaseHash !== undefined && hashes?.equals(databaseHash) === false) {
    throw gridError('BACKUP_DAMAGED', 'a snapshot differs from the hash of its pages');
  }
}

function newest(objects: readonly StoredObject[], level: number): StoredObject | undefined {
  return objects
    .filter((each) => each.level === level)
    .reduce<StoredObject | undefined>((a, b) => (a === undefined || b.last > a.last ? b : a), undefined);
}

interface Range {
  readonly first: bigint;
  readonly last: bigint;
}

/** Returns the positions that objects contain, in order, as the smallest possible number of ranges. */
function rangesOf(objects: readonly Range[]): readonly Range[] {
  const ranges: Range[] = [];
  for (const { first, last } of [...objects].sort((a, b) => (a.first < b.first ? -1 : 1))) {
    const before = ranges.at(-1);
    if (before === undefined || first > before.last + 1n) ranges.push({ first, last });
    else if (last > before.last) ranges[ranges.length - 1] = { first: before.first, last };
  }
  return ranges;
}

function isWithin({ first, last }: Range, ranges: readonly Range[]): boolean {
  return ranges.some((range) => range.first <= first && last <= range.last);
}

/** Reports whether an object is the first one, or an object of at least this level leads to the position before it. */
function isFollowing({ first }: Range, objects: readonly StoredObject[], level: number): boolean {
  if (first === 1n) return true;
  return objects.some((each) => each.level >= level && isWithin({ first: first - 1n, last: first - 1n }, [each]));
}
