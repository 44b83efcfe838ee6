/** Problems in the program that the checker of histories must find; an early acknowledgement is in failover.test.ts. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { Random } from '../../simulation/random.ts';
import { until } from '../../system/until.ts';
import { buildChecker, checkHistories, findGo, type Verdict } from '../history/checker.ts';
import { Clients } from './failover-clients.ts';
import { type Name, Pair, resume, signal } from './failover-pair.ts';
import { FaultyStore } from './faulty-store.ts';
import { MISTAKES, plant } from './planted.ts';

const LIMIT_MS = 300_000;
/** How long each phase lasts, which is longer than a fault. */
const PHASE_MS = 1_500;
const REQUEST_MS = 30_000;
/** Long enough for requests to be sent. */
const PAUSE_MS = 200;
const READ_MS = 5_000;
const KEYS = 20;
const go = findGo();
let program = '';

interface Scene {
  readonly pair: Pair;
  readonly store: FaultyStore;
  readonly clients: Clients;
  start(name: Name): Promise<void>;
}

/** Runs a scenario with clients and a program with a planted mistake, or without one. */
async function judge(
  mistake: keyof typeof MISTAKES | undefined,
  act: (scene: Scene) => Promise<void>,
  requestMs = REQUEST_MS,
): Promise<Verdict> {
  using store = new FaultyStore(new Random(1));
  await using folders = new Pair();
  const command = mistake && plant(join(folders.root, 'program'), MISTAKES[mistake]);
  await using pair = new Pair({
    url: store.bucketUrl('planted'),
    env: { AWS_SECRET_ACCESS_KEY: 'svc-test-key' },
    ...(command !== undefined && { program: command }),
  });
  const start = async (name: Name): Promise<void> => void (await pair.start(name, { AWS_ACCESS_KEY_ID: name }));
  await start('a');
  await pair.untilPrimary('a');
  await start('b');
  await pair.untilFollowing('b');
  const clients = new Clients({ pair, kind: 'shared', clients: 3, keys: KEYS, probes: true, requestMs });
  clients.start();
  await Bun.sleep(PHASE_MS);
  await act({ pair, store, clients, start });
  await Bun.sleep(PHASE_MS);
  await clients.finish();
  const path = join(folders.root, 'history.tsv');
  clients.write(path);
  return checkHistories(program, [path]);
}

/** The primary is suspended, and resumes after the other service has taken over and responds. */
async function suspended({ pair, clients }: Scene): Promise<void> {
  const { pid } = pair.service('a');
  signal(pid, 'SIGSTOP');
  await pair.untilPrimary('b');
  const before = clients.writes;
  await until('the other one answers changes of all keys', () => clients.writes > before + 3 * KEYS, REQUEST_MS);
  await resumeWithReads(pid, clients);
}

/** Resumes the former primary, to which clients have sent requests by then. */
async function resumeWithReads(pid: number, clients: Clients): Promise<void> {
  const reads = clients.readFrom('a', READ_MS);
  await Bun.sleep(PAUSE_MS);
  resume(pid);
  await reads;
}

/** Holds back the shipping of the primary, which has something to ship from then on. */
async function hold(store: FaultyStore): Promise<void> {
  store.hold('a');
  await until('an object is held', () => store.held > 0);
}

/** In addition, an object of the suspended service arrives after the takeover. */
async function late({ pair, store, clients }: Scene): Promise<void> {
  await hold(store);
  const { pid } = pair.service('a');
  signal(pid, 'SIGSTOP');
  store.hold('b');
  const before = store.length;
  const taken = pair.untilPrimary('b');
  // With a seal the takeover waits for it.
  await Promise.race([taken, Bun.sleep(2 * PHASE_MS + 2_000)]);
  store.release('a');
  await until('the object has landed', () => store.length > before);
  resume(pid);
  await Bun.sleep(PHASE_MS);
  // The changes that the former primary has acknowledged until then must be there.
  await clients.readFrom('b', READ_MS);
  store.release('b');
  await pair.untilSettled(60_000);
}

/**
 * The primary is killed while a change is in flight, and comes back when the service that took over has handed over.
 */
async function back({ pair, store, start }: Scene): Promise<void> {
  await hold(store);
  await pair.service('a').kill();
  await pair.untilPrimary('b');
  await Bun.sleep(PHASE_MS);
  await pair.service('b').stop();
  store.release('a');
  await start('a');
  await pair.untilPrimary('a');
  await Bun.sleep(PHASE_MS);
  await start('b');
  await pair.untilSettled(60_000);
}

describe.skipIf(go === undefined)('a history is rejected', () => {
  beforeAll(async () => {
    program = await buildChecker(go ?? '');
  }, LIMIT_MS);

  test.each([
    // Clients that wait for the suspended service would change nothing.
    ['with a clock that stands still', 'stillClock', suspended, READ_MS],
    ['with a takeover that claims no position', 'noSeal', late, REQUEST_MS],
    ['with a deposed primary that keeps its own changes', 'keptTail', back, REQUEST_MS],
  ] as const)(
    '%s, and is accepted without',
    async (_, mistake, act, requestMs) => {
      expect((await judge(mistake, act, requestMs)).rejected.length).toBeGreaterThan(0);
      expect((await judge(undefined, act, requestMs)).rejected).toEqual([]);
    },
    LIMIT_MS,
  );
});
