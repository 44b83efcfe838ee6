/**
 * Tests connections to a node that misbehaves at random: it sends garbage; truncates, flips, repeats, reorders and
 * delays responses; announces too many bytes; or disconnects. Every request must be settled exactly once, and in time.
 * `SVC_FUZZ_SEED` repeats a run, `SVC_FUZZ_CONNECTIONS` lengthens it.
 */
import { afterEach, expect, test } from 'bun:test';
import type { Socket } from 'node:net';
import {
  closeNodes,
  frame,
  listen,
  responseTo,
  settings,
  welcome,
} from '../../../../test/fixtures/cluster/fake-node.ts';
import { randomOf } from '../../../../test/fixtures/cluster/wire-fuzz.ts';
import { systemClock } from '../../../base/clock.ts';
import { type Connection, openConnection } from './connection.ts';

afterEach(closeNodes);

const SEED = Number(process.env.SVC_FUZZ_SEED ?? 20_261_121);
const CONNECTIONS = Number(process.env.SVC_FUZZ_CONNECTIONS ?? 300);
const AT_ONCE = 50;
const REQUESTS = 6;
const DEADLINE_MS = 400;
const HEARTBEAT_MS = 300;
/** Deadline plus heartbeat, on a busy machine. */
const MAX_MS = 10_000;

type Misbehaviour = (socket: Socket, response: Buffer, random: () => number) => void;

const MISBEHAVIOURS: ReadonlyArray<readonly [string, Misbehaviour]> = [
  ['responds', (socket, response) => socket.write(response)],
  ['is silent', () => {}],
  ['disconnects', (socket) => socket.destroy()],
  ['sends garbage', (socket, response, random) => socket.write(Buffer.from(response.map(() => random() * 256)))],
  [
    'truncates the response and disconnects',
    (socket, response, random) => socket.end(response.subarray(0, random() * response.length)),
  ],
  [
    'truncates the response and continues',
    (socket, response, random) => socket.write(response.subarray(0, random() * response.length)),
  ],
  [
    'announces too many bytes',
    (socket, response) => socket.write(Buffer.concat([Buffer.from('ffffff7f', 'hex'), response])),
  ],
  ['announces a negative number of bytes', (socket) => socket.write(Buffer.from('feffffff', 'hex'))],
  ['responds twice', (socket, response) => socket.write(Buffer.concat([response, response]))],
  ['sends an empty message', (socket) => socket.write(frame(Buffer.alloc(0)))],
  [
    'flips a bit',
    (socket, response, random) => {
      const at = Math.floor(random() * response.length);
      response[at] = (response[at] ?? 0) ^ (1 << Math.floor(random() * 8));
      socket.write(response);
    },
  ],
  [
    'responds byte by byte',
    (socket, response) => {
      for (const byte of response) socket.write(Uint8Array.of(byte));
    },
  ],
];

interface Settled {
  readonly outcome: string;
  readonly afterMs: number;
}

/** Sends a request and records each outcome. */
function send(connection: Connection, operation: number, settled: Settled[]): void {
  const startedMs = systemClock.monotonicMs();
  const settle = (outcome: string) => (): void => {
    settled.push({ outcome, afterMs: systemClock.monotonicMs() - startedMs });
  };
  connection.send(operation, (writer) => writer.i32(operation), {
    deadlineMs: startedMs + DEADLINE_MS,
    accept: settle('accepted'),
    reject: settle('rejected'),
    unreadable: settle('unreadable'),
    lost: settle('lost'),
  });
}

async function runMisbehaviour(seed: number): Promise<Settled[]> {
  const random = randomOf(seed);
  const delayed: Buffer[] = [];
  const endpoint = await listen((message, number, socket) => {
    if (number === 0) {
      socket.write(welcome());
      return;
    }
    const response = responseTo(message, random() < 0.2 ? 1 : 0, message.subarray(0, random() * message.length));
    // Responses may arrive in any order.
    if (random() < 0.2) {
      delayed.push(response);
      return;
    }
    const [, misbehave] = MISBEHAVIOURS[Math.floor(random() * MISBEHAVIOURS.length)] ?? MISBEHAVIOURS[0] ?? [];
    misbehave?.(socket, response, random);
    if (!socket.destroyed) for (const each of delayed.splice(0)) socket.write(each);
  });
  const connection = await openConnection(endpoint, settings({ heartbeatIntervalMs: HEARTBEAT_MS }));
  const settled: Settled[] = [];
  for (let request = 0; request < REQUESTS; request++) {
    send(connection, 1000 + request, settled);
    await new Promise<void>((resolve) => systemClock.after(1, resolve));
  }
  const limitMs = systemClock.monotonicMs() + 10_000;
  while (settled.length < REQUESTS && systemClock.monotonicMs() < limitMs) {
    await new Promise<void>((resolve) => systemClock.after(20, resolve));
  }
  // Closing the connection must not settle a request again.
  connection.close('end');
  await new Promise<void>((resolve) => systemClock.after(20, resolve));
  return settled;
}

test(
  `every request over ${CONNECTIONS} misbehaving connections is settled once (seed ${SEED})`,
  async () => {
    const seen = new Map<string, number>();
    for (let first = 0; first < CONNECTIONS; first += AT_ONCE) {
      const seeds = Array.from({ length: Math.min(AT_ONCE, CONNECTIONS - first) }, (_, index) => SEED + first + index);
      const results = await Promise.all(seeds.map(async (seed) => ({ seed, settled: await runMisbehaviour(seed) })));
      for (const { seed, settled } of results) {
        expect({ seed, responses: settled.length }).toEqual({ seed, responses: REQUESTS });
        for (const { outcome, afterMs } of settled) {
          expect(afterMs).toBeLessThan(MAX_MS);
          seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
        }
      }
    }
    expect([...seen.keys()].sort()).toEqual(['accepted', 'lost', 'rejected', 'unreadable']);
  },
  Math.max(60_000, CONNECTIONS * 100),
);
