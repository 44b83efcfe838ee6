/**
 * The recorded cases of Ignite, on the fixture, over real sockets. Each case is a test, and every reply that was seen
 * must fit its command's declared schema.
 */
import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMMANDS } from '../../src/commands/registry.ts';
import { type EndedProgram, endOf } from '../ended-program.ts';
import { commandOf, misfitsOf, type RecordedReply } from './declared-replies.ts';
import { FIXTURE, startService } from './service-process.ts';

const folder = join(import.meta.dir, '../reference');

/** A file of cases with the variant of the fixture that it needs. */
interface CaseFile {
  readonly files: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Logs in as the default user, whose name is the service's. */
  readonly login?: boolean;
  readonly concurrency?: number;
}

const CASE_FILES: readonly CaseFile[] = [
  { files: ['data.jsonl', 'cluster.jsonl'] },
  { files: ['data-getall-array.jsonl'], env: { SVC_REST_GETALL_AS_ARRAY: 'true' } },
  { files: ['auth.jsonl'], env: { SVC_AUTHENTICATION: 'true' }, login: true },
  { files: ['auth-ttl.jsonl'], env: { SVC_AUTHENTICATION: 'true', SVC_REST_SESSION_TIMEOUT: '2' }, login: true },
  { files: ['signed.jsonl'], env: { SVC_SECRET_KEY: 's3cr3t' } },
  { files: ['state.jsonl'], concurrency: 1 },
];

export interface Variant {
  readonly title: string;
  readonly name: string;
  readonly compatibility: 'contract' | 'reference';
  readonly workers: number;
}

interface RecordedCase {
  readonly id: string;
  /** `wait`: milliseconds before the step. */
  readonly steps: ReadonlyArray<{ readonly wait?: number }>;
  readonly differs?: string;
  readonly restored?: boolean;
}

function casesOf(file: string, compatibility: Variant['compatibility']): RecordedCase[] {
  return readFileSync(join(folder, file), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('//'))
    .map((line) => JSON.parse(line) as RecordedCase)
    .filter((each) => each.differs === undefined || (compatibility === 'reference' && each.restored === true));
}

/** Failures by case id, and all recorded replies. */
interface Replay {
  readonly failures: ReadonlyMap<string, readonly string[]>;
  /** The number of cases that failed at first. */
  readonly failed: number;
  readonly sum: string;
  readonly replies: readonly RecordedReply[];
}

/** How often a failed case is repeated before it counts as failed, because a busy machine may be the cause. */
const REPEATS = 3;

function isOverload(failure: string): boolean {
  return failure.endsWith('http: expected 200 got 503');
}

function hasDeadline({ wait }: { readonly wait?: number }): boolean {
  return wait !== undefined;
}

async function replay(variant: Variant, { files, env, login, concurrency = 8 }: CaseFile): Promise<Replay> {
  const { name, compatibility, workers } = variant;
  await using service = await startService({
    args: ['--config', FIXTURE],
    env: { ...env, SVC_NAME: name, SVC_COMPATIBILITY: compatibility, SVC_WORKERS: String(workers) },
  });
  const records = mkdtempSync(join(tmpdir(), 'svc-replies-'));
  const record = join(records, 'replies.jsonl');
  const run = (...options: readonly string[]): Promise<EndedProgram> =>
    endOf(
      [
        ...['node', '--import', join(folder, 'record-replies.mjs'), join(folder, 'replay.mjs')],
        ...['--base', service.url, '--name', name, ...options],
        ...(login === true ? ['--login', name, '--password', 'svc'] : []),
        ...(compatibility === 'reference' ? ['--reference'] : []),
        ...files.map((file) => join(folder, file)),
      ],
      { env: { ...process.env, SVC_RECORD_FILE: record } },
    );
  try {
    const { output, errors } = await run('--concurrency', String(concurrency));
    const failures = new Map<string, string[]>();
    for (const [line, id = ''] of output.matchAll(/^FAIL (\S+) .*$/gm)) {
      failures.set(id, [...(failures.get(id) ?? []), line]);
    }
    const failed = failures.size;
    for (const { id, steps } of files.flatMap((file) => casesOf(file, compatibility))) {
      // On a busy machine, a step may come after a deadline that it should precede, or be rejected.
      const isOfMachine = (lines: readonly string[]) => steps.some(hasDeadline) || lines.some(isOverload);
      for (let again = 0; again < REPEATS && isOfMachine(failures.get(id) ?? []) && failures.has(id); again++) {
        const { output: repeated } = await run('--concurrency', '1', '--only', id);
        if (/^[1-9]\d* passed, /m.test(repeated) && !repeated.includes(`FAIL ${id} `)) failures.delete(id);
      }
    }
    const sum = /^\d+ passed, .*$/m.exec(output)?.[0] ?? `the replay ended without a sum: ${errors}`;
    const lines = (await Bun.file(record).exists()) ? readFileSync(record, 'utf8').trim().split('\n') : [];
    const replies = lines.map((line) => JSON.parse(line) as RecordedReply);
    return { failures, failed, sum, replies };
  } finally {
    rmSync(records, { recursive: true, force: true });
  }
}

/** Number of services against which cases are replayed concurrently: most of a replay waits for entries to expire. */
const CONCURRENT_REPLAYS = 3;

/** Starts the replay of every variant and file, a few at a time, and returns a promise for each. */
function startReplays(variants: readonly Variant[]): Map<Variant, Map<CaseFile, Promise<Replay>>> {
  const waiting: (() => Promise<Replay>)[] = [];
  const replays = new Map<Variant, Map<CaseFile, Promise<Replay>>>();
  for (const variant of variants) {
    const ofVariant = new Map<CaseFile, Promise<Replay>>();
    for (const caseFile of CASE_FILES) {
      const { promise, resolve, reject } = Promise.withResolvers<Replay>();
      // Awaited by the tests of this variant and file, which may come later.
      promise.catch(() => undefined);
      waiting.push(() => {
        const run = replay(variant, caseFile);
        run.then(resolve, reject);
        return run;
      });
      ofVariant.set(caseFile, promise);
    }
    replays.set(variant, ofVariant);
  }
  const runWaiting = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await next().catch(() => undefined);
  };
  for (let lane = 0; lane < CONCURRENT_REPLAYS; lane++) void runWaiting();
  return replays;
}

/** Commands of the first release without a recorded case: clear always fails in Ignite. */
const UNRECORDED: readonly string[] = ['clear'];
const FIRST_RELEASE = '1.0.0';

/** Defines the tests of the variants: each replays all files. */
export function runRecordedCases(variants: readonly Variant[]): void {
  setDefaultTimeout(240_000);
  const tested = new Set<string>();
  let replays: ReturnType<typeof startReplays>;

  beforeAll(() => {
    replays = startReplays(variants);
  });

  for (const variant of variants) {
    describe(variant.title, () => {
      for (const caseFile of CASE_FILES) {
        describe(caseFile.files.join(' '), () => {
          let result: Replay;
          beforeAll(async () => {
            const run = replays.get(variant)?.get(caseFile);
            if (run === undefined) throw new Error('not started');
            result = await run;
          });
          const cases = caseFile.files.flatMap((file) => casesOf(file, variant.compatibility));
          for (const { id } of cases) {
            test(id, () => {
              expect((result.failures.get(id) ?? []).join('\n')).toBe('');
            });
          }
          test('all cases ran', () => {
            const { failed } = result;
            expect(result.sum).toContain(`${cases.length - failed} passed, ${failed} failed`);
          });
          test('every reply fits the declared schema of its command', () => {
            const misfits = result.replies.flatMap((reply) => misfitsOf(reply));
            expect([...new Set(misfits)].join('\n')).toBe('');
            for (const reply of result.replies) tested.add(commandOf(reply) ?? '');
            expect(result.replies.length).toBeGreaterThanOrEqual(cases.length);
          });
        });
      }
    });
  }

  test('all commands of Ignite were tested', () => {
    // Commands of later releases are our own or GridGain's; the examples of their declarations are tested.
    const recorded = COMMANDS.filter(({ since }) => since === FIRST_RELEASE).map(({ name }) => name);
    expect(recorded.filter((name) => !tested.has(name))).toEqual([...UNRECORDED]);
  });
}
