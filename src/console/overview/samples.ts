/** The samples of the last hour, kept as they arrive. */
import { signal } from '@preact/signals';
import { call } from '../requests/request.ts';
import { type Measured, NO_LIMITS, type Values } from './windows.ts';

export interface Samples extends Measured {
  readonly commands: Readonly<Record<string, Values>>;
}

/** An hour of samples; older ones are dropped. */
const MAX_SAMPLES = 720;

export const samples = signal<Samples>({
  intervalMs: 5_000,
  times: [],
  series: {},
  commands: {},
  limits: NO_LIMITS,
});

/** Reads the new samples. Throws SvcError. */
export async function readSamples(signal: AbortSignal): Promise<Samples> {
  const known = samples.value;
  const after = known.times.at(-1) ?? 0;
  const added = (await call('metricshistory', { after: Math.floor(after) }, signal)) as unknown as Samples;
  samples.value = added.times.length > 0 ? joined(known, added) : { ...known, limits: added.limits };
  return samples.value;
}

/** Returns all samples, at most an hour. A command that was not used before has 0 there. */
export function joined(known: Samples, added: Samples): Samples {
  const times = [...known.times, ...added.times].slice(-MAX_SAMPLES);
  const join = (before: Readonly<Record<string, Values>>, after: Readonly<Record<string, Values>>, missing: 0 | null) =>
    Object.fromEntries(
      [...new Set([...Object.keys(before), ...Object.keys(after)])].map((name) => {
        const old = before[name] ?? new Array<number | null>(known.times.length).fill(missing);
        const fresh = after[name] ?? new Array<number | null>(added.times.length).fill(missing);
        return [name, [...old, ...fresh].slice(-MAX_SAMPLES)];
      }),
    );
  return {
    intervalMs: added.intervalMs,
    times,
    series: join(known.series, added.series, null),
    commands: join(known.commands, added.commands, 0),
    limits: added.limits,
  };
}
