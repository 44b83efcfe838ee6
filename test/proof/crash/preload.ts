/** Makes processes run a function before any module of the program is imported. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes the files that make every process with that working folder call a function of a module with the options. */
export function writePreload(workingFolder: string, module: string, name: string, options: unknown): void {
  mkdirSync(workingFolder, { recursive: true });
  const preload = join(workingFolder, 'preload.ts');
  const call = `${name}(${JSON.stringify(options)});`;
  writeFileSync(preload, `import { ${name} } from ${JSON.stringify(module)};\n${call}\n`);
  writeFileSync(join(workingFolder, 'bunfig.toml'), `preload = [${JSON.stringify(preload)}]\n`);
}
