/**
 * The package as programs on Bun import it: `import { defineConfig, start, SvcClient } from '@svc-grid/svc'`. Programs
 * on Node import embedding-node.ts.
 */
import type { StartedService, StartOptions, TestControls } from './wiring/in-process.ts';

export * from './client/client.ts';
export * from './config.ts';
export type { StartedService, StartOptions };

/**
 * Starts a service inside this program, for its tests: on a free port, with its data in memory. Resolves when it
 * serves requests.
 */
export async function start(options: StartOptions = {}): Promise<StartedService> {
  // Configuration files also import this module, and need nothing from the service.
  const { startInProcess } = await import('./wiring/in-process.ts');
  return startInProcess(options);
}

/** Starts a service that tests control; `@svc-grid/svc/testing` adds fixtures. */
export async function startForTests(options: StartOptions): Promise<StartedService & TestControls> {
  const { startForTests: start } = await import('./wiring/in-process.ts');
  return start(options);
}
