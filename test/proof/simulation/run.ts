/** Runs a simulation in a process of its own, below which the disk can fail. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
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
    const child = Bun.spawn([process.execPath, join(import.meta.dir, 'simulate.ts'), argument], {
      env: { ...process.env, ...shim },
      stdout: 'pipe',
      stderr: 'pipe',
    });
    const [output, failure] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    if ((await child.exited) !== 0) throw new Error(`the simulation of seed ${options.seed} fails: ${failure}`);
    return JSON.parse(output) as SimulationResult;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
