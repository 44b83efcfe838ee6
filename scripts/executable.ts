/** Builds the service as one executable file: the runtime, the program and its threads. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { embedConsole } from './console-plugin.ts';
import { ENTRY_POINTS, MINIFY } from './entry-points.ts';

export const TARGETS = [
  'bun-linux-x64',
  'bun-linux-arm64',
  'bun-linux-x64-musl',
  'bun-linux-arm64-musl',
  'bun-darwin-x64',
  'bun-darwin-arm64',
] as const satisfies readonly Bun.Build.CompileTarget[];
export type Target = (typeof TARGETS)[number];

const root = join(import.meta.dir, '..');

/** Builds an executable, for this platform unless there is a target. Returns why it could not be built. */
export async function buildExecutable(outfile: string, target: Target | undefined): Promise<string | undefined> {
  try {
    const result = await Bun.build({
      entrypoints: ENTRY_POINTS.map((path) => join(root, 'src', path)),
      root: join(root, 'src'),
      target: 'bun',
      format: 'esm',
      // Startup reads only the parts that it runs, and threads share them.
      splitting: true,
      // Compiled code halves the startup time. The runtimes of other platforms are not available to compile it.
      bytecode: target === undefined || target === `bun-${process.platform}-${process.arch}`,
      minify: MINIFY,
      sourcemap: 'inline',
      throw: false,
      plugins: [await embedConsole()],
      compile: {
        outfile,
        ...(target !== undefined && { target }),
        // Configuration files and tasks may import packages next to them. Other settings found there are not for svc.
        autoloadPackageJson: true,
        autoloadTsconfig: false,
        autoloadBunfig: false,
        // src/main.ts reads these files, and only for the service: for subcommands the folder is not trusted.
        autoloadDotenv: false,
      },
    });
    // The executable contains the source maps, so the separate files are not needed.
    for (const { kind, path } of result.outputs) if (kind === 'sourcemap') rmSync(path, { force: true });
    if (result.success && existsSync(outfile)) return undefined;
    return result.logs.join('\n') || 'the runtime wrote no file';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Reports the size of a file that has been built. */
export function reportFile(file: string): void {
  process.stdout.write(`${file}: ${Math.ceil(Bun.file(file).size / 1024)} KiB\n`);
}

/** Ends the program because of invalid arguments. */
export function usage(problem: string): never {
  process.stderr.write(`${problem}\n`);
  process.exit(2);
}
