/**
 * `npm run bench:column-limits [-- --rounds N --rows N]`: measures the cost of column limits for put and putall at the
 * port of the embedded engine: the CPU time of the process with three limits and without any, alternately.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '../src/base/clock.ts';
import { openEmbeddedGrid } from '../src/engines/embedded/embedded-grid.ts';
import type { EntityField } from '../src/grid/grid.ts';
import type { Value } from '../src/values/value.ts';
import { medianOf } from './load.ts';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '10' }, rows: { type: 'string', default: '20000' } },
});
const rounds = Number(values.rounds);
const rows = Number(values.rows);
const PER_TICK = 64;
const PER_PUT_ALL = 100;

const NAMES = ['limited', 'plain'] as const;
const string = { kind: 'scalar', type: 'string' } as const;
const decimal = { kind: 'scalar', type: 'decimal' } as const;
const FIELDS: Readonly<Record<(typeof NAMES)[number], readonly EntityField[]>> = {
  limited: [
    { name: 'name', type: { ...string, precision: 20 } },
    { name: 'price', type: { ...decimal, precision: 9, scale: 2 } },
    { name: 'count', type: { kind: 'scalar', type: 'integer' }, notNull: true },
  ],
  plain: [
    { name: 'name', type: string },
    { name: 'price', type: decimal },
    { name: 'count', type: { kind: 'scalar', type: 'integer' } },
  ],
};

const dataDir = mkdtempSync(join(tmpdir(), 'svc-limits-'));
const grid = await openEmbeddedGrid({
  ...{ dataDir, version: '1.0.0', nodeName: 'bench', clock: systemClock },
  regions: [{ name: 'default' }, { name: 'memory', persistent: false }],
  caches: NAMES.map((name) => ({
    name,
    region: 'memory',
    entities: [{ keyType: 'integer', valueType: 'Item', fields: [...FIELDS[name]] }],
  })),
});

function keyOf(number: number): Value {
  return { type: 'integer', data: number };
}

function itemOf(number: number): Value {
  return {
    type: 'object',
    typeName: 'Item',
    fields: [
      { name: 'name', value: { type: 'string', data: `item ${number}` } },
      { name: 'price', value: { type: 'decimal', data: { unscaled: BigInt(number), scale: 2 } } },
      { name: 'count', value: { type: 'integer', data: number } },
    ],
  };
}

const WORK: Readonly<Record<string, (cache: string) => Promise<void>>> = {
  async put(cache) {
    for (let from = 0; from < rows; from += PER_TICK) {
      const puts = Array.from({ length: PER_TICK }, (_, index) =>
        grid.port.call({ kind: 'put', cache, key: keyOf(from + index), value: itemOf(from + index) }, {}),
      );
      await Promise.all(puts);
    }
  },
  async putall(cache) {
    for (let from = 0; from < rows; from += PER_PUT_ALL) {
      const entries = Array.from({ length: PER_PUT_ALL }, (_, index) => ({
        key: keyOf(from + index),
        value: itemOf(from + index),
      }));
      await grid.port.call({ kind: 'putAll', cache, entries }, {});
    }
  },
};

async function cpuMs(action: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await action();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

try {
  for (const [command, work] of Object.entries(WORK)) {
    for (const name of NAMES) await work(name);
    const ratios: number[] = [];
    const micros: Record<(typeof NAMES)[number], number[]> = { limited: [], plain: [] };
    for (let round = 0; round < rounds; round++) {
      const order = round % 2 === 0 ? NAMES : NAMES.toReversed();
      for (const name of order) micros[name].push(((await cpuMs(() => work(name))) * 1_000) / rows);
      ratios.push((micros.limited.at(-1) ?? 0) / (micros.plain.at(-1) ?? 1));
    }
    const [limited, plain] = [medianOf(micros.limited), medianOf(micros.plain)];
    process.stdout.write(
      `${command}: ${plain.toFixed(2)} us without limits, ${limited.toFixed(2)} us with three; ` +
        `median ratio of ${rounds} pairs ${medianOf(ratios).toFixed(3)}\n`,
    );
  }
} finally {
  await grid.close();
  rmSync(dataDir, { recursive: true });
}
