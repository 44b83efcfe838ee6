/** Makes `import { defineConfig } from 'svc'` work in configuration files and task modules wherever they lie. */
import * as svc from '../config.ts';

/** Registers the module in this thread. */
export function registerSvcModule(): void {
  Bun.plugin({
    name: 'svc',
    setup(build) {
      build.module('svc', () => ({ exports: { ...svc }, loader: 'object' }));
    },
  });
}
