/**
 * Merges objects by age and removes those that are no longer needed: single intervals become steps of 30 s, 5 minutes
 * and an hour, and a snapshot of each day is merged from the one before. Objects are removed only when others lead
 * past the same positions, or when the retention has ended.
 */
import type { Clock } from '../../../../base/clock.ts';
import { fail } from '../../../../base/errors.ts';
import { type Destination, LOWEST_LEVEL, positionText, SNAPSHOT_LEVEL, type StoredObject } from './destination.ts';
import { type DecodedPage, encodeLtx, LtxDecoder, type LtxHeader, type LtxPage, PageHashes } from './ltx-format.ts';
import { planRestore } from './restore-plan.ts';

const DAY_MS = 86_400_000;

interface Step {
  readonly level: number;
  readonly stepMs: number;
  /** Objects of the level are kept for so long, if the retention is not shorter. */
  readonly keepMs: number;
}

/** Time between two states of each level above the lowest, and how long they are kept; docs/backup.md names these. */
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

/** Pages that are merged before messages are received. */
const PAGES_AT_ONCE = 256;

export interface CompactorOptions {
  readonly destination: Destination;
  readonly clock: Clock;
  /** How long objects of single intervals are kept. */
  readonly secondsForMs: number;
  readonly retentionMs: number;
}

export class Compactor {
  readonly #options: CompactorOptions;

  constructor(options: CompactorOptions) {
    this.#options = options;
  }

  /** Merges and removes what is due. Throws BACKUP_DAMAGED, and errors of the destination; sources are then kept. */
  async run(): Promise<void> {
    for (const step of STEPS) while (await this.#mergeNext(step));
    await this.#mergeSnapshot();
    await this.#removeOld();
  }

  /** Merges the objects of the oldest step that has ended. Returns false if there is none. */
  async #mergeNext({ level, stepMs }: Step): Promise<boolean> {
    const objects = await this.#options.destination.objects();
    const done = lastOf(objects, level);
    const sources = objects
      .filter((each) => each.level === level - 1 && each.first > done)
      .sort((a, b) => (a.first < b.first ? -1 : 1));
    const [first] = sources;
    if (first === undefined) return false;
    const endMs = (Math.floor(first.timestampMs / stepMs) + 1) * stepMs;
    if (endMs > this.#options.clock.nowMs()) return false;
    const inputs: StoredObject[] = [];
    for (const source of sources) {
      // After a snapshot that began anew, nothing leads from the objects before it to those after it.
      const follows = inputs.length === 0 || source.first === (inputs.at(-1)?.last ?? 0n) + 1n;
      if (source.timestampMs >= endMs || !follows) break;
      inputs.push(source);
    }
    await this.#merge(level, inputs);
    return true;
  }

  /** Makes a snapshot of what the objects of the highest level lead to, when the last one is a day older. */
  async #mergeSnapshot(): Promise<void> {
    const objects = await this.#options.destination.objects();
    const snapshot = newest(objects, SNAPSHOT_LEVEL);
    const target = newest(objects, STEPS.at(-1)?.level ?? LOWEST_LEVEL);
    if (snapshot === undefined || target === undefined || target.last <= snapshot.last) return;
    if (target.timestampMs - snapshot.timestampMs < DAY_MS) return;
    const plan = await planRestore(this.#options.destination, objects, { position: target.last });
    await this.#merge(SNAPSHOT_LEVEL, plan);
  }

  async #merge(level: number, inputs: readonly StoredObject[]): Promise<void> {
    const { destination, clock } = this.#options;
    const opened = await Promise.all(inputs.map((input) => Input.open(destination, input)));
    const first = opened[0]?.header;
    const last = opened.at(-1)?.header;
    if (first === undefined || last === undefined) return;
    const header: LtxHeader = { ...last, firstTransaction: first.firstTransaction };
    const name = { level, first: header.firstTransaction, last: header.lastTransaction };
    const chunks = encodeLtx(header, merged(opened, header, clock));
    const bytes = await destination.create(name, header.timestampMs, chunks, inputs);
    if (bytes === undefined)
      throw new Error(`an object of level ${level} and position ${positionText(name.last)} exists`);
  }

  async #removeOld(): Promise<void> {
    const { destination, clock, secondsForMs, retentionMs } = this.#options;
    const nowMs = clock.nowMs();
    const objects = await destination.objects();
    const ended = objects.filter((each) => each.level === SNAPSHOT_LEVEL && each.timestampMs <= nowMs - retentionMs);
    const beginning = ended.reduce((least, { last }) => (last > least ? last : least), 0n);
    const ages = [{ level: LOWEST_LEVEL, keepMs: secondsForMs }, ...STEPS];
    for (let level = LOWEST_LEVEL; level <= SNAPSHOT_LEVEL; level++) {
      const keepMs = ages.find((each) => each.level === level)?.keepMs ?? Number.POSITIVE_INFINITY;
      const merged = lastOf(objects, level + 1);
      for (const object of objects) {
        if (object.level !== level) continue;
        const { last, timestampMs } = object;
        const isBefore = level === SNAPSHOT_LEVEL ? last < beginning : last <= beginning;
        if (isBefore || (timestampMs < nowMs - keepMs && last <= merged)) await destination.remove(object);
      }
    }
  }
}

/** An object that is merged: its pages in the order of their numbers. */
class Input {
  readonly header: LtxHeader;
  readonly #pages: AsyncGenerator<DecodedPage, void>;
  /** The next page; undefined after the last one. */
  page: DecodedPage | undefined;

  private constructor(header: LtxHeader, pages: AsyncGenerator<DecodedPage, void>) {
    this.header = header;
    this.#pages = pages;
  }

  static async open(destination: Destination, object: StoredObject): Promise<Input> {
    const name = `${positionText(object.first)}-${positionText(object.last)} of level ${object.level}`;
    const decoder = new LtxDecoder(name, destination.read(object, true));
    const header = await decoder.header();
    if (header.firstTransaction !== object.first || header.lastTransaction !== object.last) {
      throw fail('BACKUP_DAMAGED', `the object ${name} contains positions that its name does not say`);
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
    throw fail('BACKUP_DAMAGED', 'a snapshot differs from the hash of its pages');
  }
}

function newest(objects: readonly StoredObject[], level: number): StoredObject | undefined {
  return objects
    .filter((each) => each.level === level)
    .reduce<StoredObject | undefined>((a, b) => (a === undefined || b.last > a.last ? b : a), undefined);
}

/** Returns the last position that objects of a level lead to; 0: there are none. */
function lastOf(objects: readonly StoredObject[], level: number): bigint {
  return newest(objects, level)?.last ?? 0n;
}
