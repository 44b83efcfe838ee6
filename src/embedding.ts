/** The package as programs import it: `import { defineConfig, start } from '@svc-grid/svc'`. */
import type { StartedService, StartOptions } from './wiring/in-process.ts';

export * from './config.ts';
export type { StartedService, StartOptions };

/**
 * Starts a service inside this program, for its tests: on a free port, with its data in memory. Resolves when it serves
 * requests. Needs Bun; a program on Node starts `svc` as a process.
 */
export async function start(options: StartOptions = {}): Promise<StartedService> {
  // Configuration files import this module, too, and need nothing of the service.
  const { startInProcess } = await import('./wiring/in-process.ts');
  return startInProcess(options);
}
