/** Bundles the console from its sources. */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { BundledFiles } from './embedded-files.ts';

/** Runs the bundler on the sources of a folder. Throws if they cannot be bundled. */
export async function buildConsole(folder: string): Promise<Bun.BuildOutput> {
  const { AGGREGATES, FUNCTIONS } = await import('../../sql/functions/functions.ts');
  const functions = [...FUNCTIONS.keys(), ...AGGREGATES.keys()].sort();
  return Bun.build({
    entrypoints: [join(folder, 'main.tsx')],
    target: 'browser',
    format: 'esm',
    splitting: true,
    minify: true,
    define: { 'process.env.NODE_ENV': '"production"', SQL_FUNCTIONS: JSON.stringify(functions) },
    // Chunks shared by screens have the entry's name.
    naming: { entry: 'page-[hash].[ext]', chunk: '[name]-[hash].[ext]', asset: '[name]-[hash].[ext]' },
    metafile: true,
  });
}

/** Bundles the sources of a folder. Returns each file compressed, in base64. Throws if they cannot be bundled. */
export async function bundleConsole(folder: string): Promise<BundledFiles> {
  const { gzip } = await import('node:zlib');
  const { outputs } = await buildConsole(folder);
  const compress = (content: Uint8Array<ArrayBuffer>): Promise<string> =>
    new Promise((resolve, reject) => {
      gzip(content, { level: 9 }, (error, bytes) => (error ? reject(error) : resolve(bytes.toString('base64'))));
    });
  const files: Record<string, string> = {};
  for (const output of outputs) {
    const content = new Uint8Array(await output.arrayBuffer());
    files[basename(output.path)] = await compress(content);
  }
  files['icon.svg'] = await compress(new Uint8Array(readFileSync(join(folder, 'icon.svg'))));
  return files;
}
