/** Programs with a planted mistake, which the proof must find: copies of the sources with one text replaced. */
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUN } from '../../system/program.ts';

const root = join(import.meta.dir, '../../..');
const CONTINUOUS = 'src/engines/embedded/backup/continuous';

type Replacement = readonly [file: string, text: string, by: string];

const STILL_CLOCK: Replacement = [
  'src/base/failover-state.ts',
  'return !this.isClosed && this.#bootMs() < (this.#times[UNTIL] ?? 0);',
  'return true;',
];

export const MISTAKES = {
  /** The clock of the lease stands still: a suspended primary believes that it still has the lease. */
  stillClock: [STILL_CLOCK],
  /** In addition, the service that takes over claims no position, so an object of the former primary still arrives. */
  noSeal: [
    STILL_CLOCK,
    [`${CONTINUOUS}/shipping-loop.ts`, 'const isSealed = await shipper.seal();', 'const isSealed = true;'],
  ],
  /** A deposed primary continues with its own data, including commits that the new primary lacks. */
  keptTail: [
    ['src/wiring/failover/term.ts', 'if (hasFollowed) return false;', 'return true;'],
    [
      `${CONTINUOUS}/shipper.ts`,
      'if (isSame) this.#shipped = shipped;\n    return isSame;',
      'this.#shipped = shipped;\n    return true;',
    ],
  ],
} as const satisfies Readonly<Record<string, readonly Replacement[]>>;

/** Creates a program in a folder; returns its command. */
export function plant(folder: string, mistake: readonly Replacement[]): readonly string[] {
  mkdirSync(folder, { recursive: true });
  cpSync(join(root, 'src'), join(folder, 'src'), { recursive: true });
  for (const name of ['package.json', 'tsconfig.json']) cpSync(join(root, name), join(folder, name));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  for (const [file, text, by] of mistake) {
    const path = join(folder, file);
    const parts = readFileSync(path, 'utf8').split(text);
    if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times the text that is replaced: ${text}`);
    writeFileSync(path, parts.join(by));
  }
  return [BUN, join(folder, 'src/main.ts')];
}
