/** Embeds the bundled console (src/console) in a build, which cannot bundle its sources later. */
import { join } from 'node:path';
import { bundleConsole } from '../src/wiring/console/bundle.ts';

/** Bundles the console, and returns the plugin that embeds it. The runtime cannot start a build within another. */
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
