/**
 * kill -9 under a write load: no acknowledged write is lost or partial, and the service restarts immediately.
 * Every writer owns its keys, so its last acknowledged write must be found.
 */
import { expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { freePort } from '../free-port.ts';
import { allowedMs } from './machine.ts';
import { WORKERS } from './modes.ts';
import { newFolder, type ServiceProcess, sendTo, startService } from './service-process.ts';
import { until } from './until.ts';

const ROUNDS = 20;
const WRITERS = 64;
/**
 * Maximum time to start after a kill, including the start of the process. Other tests use the processors; the crash
 * proof checks the promised second, which applies if one is free.
 */
const MAX_START_MS = 3_000;

/** A writer's knowledge: the numbers of its last acknowledged round of writes, and of the round sent since. */
interface Writer {
  readonly id: number;
  acknowledged: number;
  sent: number;
  /** Acknowledged entries that are never written again. */
  readonly kept: Map<string, string>;
}

async function write(service: ServiceProcess, writer: Writer, running: () => boolean): Promise<void> {
  const url = service.url;
  while (running()) {
    const n = writer.acknowledged + 1;
    writer.sent = n;
    const { id } = writer;
    const fresh = `fresh${id}.${n}`;
    try {
      const answers = await Promise.all([
        sendTo(url, `cmd=put&key=put${id}&val=${n}`),
        sendTo(url, `cmd=putall&k1=a${id}&v1=${n}&k2=b${id}&v2=${n}&k3=c${id}&v3=${n}`),
        sendTo(url, `cmd=incr&key=count${id}&delta=1`),
        sendTo(url, `cmd=add&key=${fresh}&val=${n}`).then((answer) => {
          if (answer.response === true) writer.kept.set(fresh, String(n));
          return answer;
        }),
      ]);
      const bad = answers.find(({ successStatus }) => successStatus !== 0);
      if (bad !== undefined) throw new Error(`an answer that is no success: ${bad.text}`);
      writer.acknowledged = n;
    } catch (error) {
      if (running()) throw error;
    }
  }
}

/** Reads many keys at once. */
async function readAll(url: string, keys: readonly string[]): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (let from = 0; from < keys.length; from += 2_000) {
    const body = new URLSearchParams({ cmd: 'getall' });
    keys.slice(from, from + 2_000).forEach((key, index) => {
      body.set(`k${index + 1}`, key);
    });
    const { response } = await sendTo(url, '', { method: 'POST', body });
    Object.assign(found, response);
  }
  return found;
}

/** Describes deviations of the service's contents. */
async function findLosses(url: string, writers: readonly Writer[]): Promise<string[]> {
  const wrong: string[] = [];
  const names = writers.flatMap(({ id }) => [`put${id}`, `a${id}`, `b${id}`, `c${id}`]);
  const found = await readAll(url, names);
  for (const writer of writers) {
    const { id, acknowledged, sent } = writer;
    const fits = (n: number) => n === acknowledged || n === sent;
    const put = Number(found[`put${id}`] ?? 0);
    if (!fits(put)) wrong.push(`put${id} is ${put}, acknowledged ${acknowledged}, sent ${sent}`);
    const three = [found[`a${id}`], found[`b${id}`], found[`c${id}`]].map((text) => Number(text ?? 0));
    if (new Set(three).size !== 1) wrong.push(`a putall is half there: ${three.join()}`);
    if (!fits(three[0] ?? -1)) wrong.push(`a putall is lost: ${three[0]}, acknowledged ${acknowledged}, sent ${sent}`);
    const count = Number((await sendTo(url, `cmd=incr&key=count${id}&delta=0`)).response);
    if (!fits(count)) wrong.push(`count${id} is ${count}, acknowledged ${acknowledged}, sent ${sent}`);
    // The next round continues from the stored state, so that counters and entries stay consistent.
    await sendTo(url, `cmd=put&key=put${id}&val=${sent}`);
    await sendTo(url, `cmd=putall&k1=a${id}&v1=${sent}&k2=b${id}&v2=${sent}&k3=c${id}&v3=${sent}`);
    await sendTo(url, `cmd=incr&key=count${id}&delta=${sent - count}`);
    writer.acknowledged = sent;
  }
  const kept = new Map(writers.flatMap((writer) => [...writer.kept]));
  const there = await readAll(url, [...kept.keys()]);
  for (const [key, value] of kept) {
    if (there[key] !== value) wrong.push(`${key} is ${there[key]} instead of ${value}`);
  }
  return wrong;
}

for (const workers of WORKERS) {
  test(`kill -9 ${ROUNDS} times under ${WRITERS} writers, workers=${workers}`, async () => {
    const dataDir = newFolder();
    const writers = Array.from({ length: WRITERS }, (_, id): Writer => {
      return { id, acknowledged: 0, sent: 0, kept: new Map() };
    });
    const port = freePort();
    const startsMs: number[] = [];
    const keptCount = () => writers.reduce((sum, { kept }) => sum + kept.size, 0);
    try {
      for (let round = 0; round < ROUNDS; round++) {
        // On a busy machine, 64 writers may wait for longer than others accept.
        const env = { SVC_WORKERS: String(workers), SVC_LIMITS_QUEUE_MS: '60000' };
        await using service = await startService({ dataDir, port, env });
        if (round > 0) startsMs.push(service.startMs);
        expect(await findLosses(service.url, writers)).toEqual([]);
        let running = true;
        const load = writers.map((writer) => write(service, writer, () => running));
        const failure = Promise.all(load).then(() => undefined);
        const enough = keptCount() + WRITERS;
        const loaded = until('the writers have written', () => keptCount() > enough);
        await Promise.race([failure, loaded.then(() => Bun.sleep((round * 37) % 200))]);
        running = false;
        await service.kill();
        await failure;
      }
      await using service = await startService({ dataDir, port });
      startsMs.push(service.startMs);
      expect(await findLosses(service.url, writers)).toEqual([]);
      expect(Math.max(...startsMs)).toBeLessThan(allowedMs(MAX_START_MS));
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  }, 180_000);
}
