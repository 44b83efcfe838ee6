/** Resolves `import { defineConfig } from 'svc'` in configuration files and task modules, wherever they are. */
import * as svc from '../config.ts';

/** Registers the module in the calling thread. */
export function registerSvcModule(): void {
  Bun.plugin({
    name: 'svc',
    setup(build) {
      build.module('svc', () => ({ exports: { ...svc }, loader: 'object' }));
    },
  });
}
