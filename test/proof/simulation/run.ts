/** Runs a simulation in a separate process, below which the disk can fail. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { endOf } from '../../ended-program.ts';
import { newFolder } from '../../system/service-process.ts';
import { buildShim, shimEnvironment } from '../crash/shim.ts';
import type { SimulationOptions, SimulationResult } from './simulate.ts';

export async function runSimulation(
  options: Pick<SimulationOptions, 'seed' | 'steps' | 'defect'>,
): Promise<SimulationResult> {
  const folder = newFolder();
  const [dataDir, state] = [join(folder, 'data'), join(folder, 'state')];
  mkdirSync(dataDir);
  try {
    const shim = shimEnvironment(buildShim(), { dataDir, state, sync: 'journal' });
    const argument = JSON.stringify({ ...options, dataDir, shimState: state });
    const command = [process.execPath, join(import.meta.dir, 'simulate.ts'), argument];
    const { exitCode, output, errors } = await endOf(command, { env: { ...process.env, ...shim } });
    if (exitCode !== 0) throw new Error(`the simulation of seed ${options.seed} fails: ${errors}`);
    return JSON.parse(output) as SimulationResult;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
