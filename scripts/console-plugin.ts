/** Puts the bundled console (src/console) into what is built, where its sources cannot be bundled. */
import { join } from 'node:path';
import { bundleConsole } from '../src/wiring/console/bundle.ts';

/** Bundles the console, and returns the plugin that embeds it. Within a build, the runtime cannot begin another one. */
export async function embedConsole(): Promise<Bun.BunPlugin> {
  const files = await bundleConsole(join(import.meta.dir, '../src/console'));
  return {
    name: 'console',
    setup(build) {
      build.onLoad({ filter: /console[\\/]embedded-files\.ts$/ }, () => ({
        loader: 'ts',
        contents: `export const EMBEDDED_FILES = ${JSON.stringify(files)};`,
      }));
    },
  };
}
