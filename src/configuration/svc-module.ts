/** Resolves `import { defineConfig } from 'svc'` in configuration files and task modules, wherever they are. */
import { defineConfig } from './define-config.ts';
import { PACKAGE_NAME } from './version.ts';

/** Registers the module in the calling thread. */
export function registerSvcModule(): void {
  Bun.plugin({
    name: 'svc',
    setup(build) {
      // The package's name on npm, which editors resolve, and the short one, which needs no package.
      for (const name of [PACKAGE_NAME, 'svc']) {
        build.module(name, async () => {
          // Only tasks may need the client; startup does not.
          const client = await import('../client/client.ts');
          return { exports: { ...client, defineConfig }, loader: 'object' };
        });
      }
    },
  });
}
