/** Puts the bundled console (src/console) into what is built, where its sources cannot be bundled. */
import { join } from 'node:path';
import { bundleConsole } from '../src/wiring/console/bundle.ts';

export const embedConsole: Bun.BunPlugin = {
  name: 'console',
  setup(build) {
    build.onLoad({ filter: /console[\\/]embedded-files\.ts$/ }, async () => {
      const files = await bundleConsole(join(import.meta.dir, '../src/console'));
      return { loader: 'ts', contents: `export const EMBEDDED_FILES = ${JSON.stringify(files)};` };
    });
  },
};
