/** The modules of ARCHITECTURE.md: who may import whom, and what only some may use. */

/** One row of the table. */
export interface ModuleRule {
  /** Folders (`src/base`) and files (`src/main.ts`) of the module. */
  readonly paths: readonly string[];
  /** Names of the modules that it may import beside itself; `all`: every module. */
  readonly mayImport: readonly string[] | 'all';
  /** What the module may use and others may not, as the table words it. */
  readonly aloneMayUse: readonly string[];
}

const HEAD = ['module', 'responsibility', 'may import', 'exclusive use'];

/** Reads the table of modules from the text of ARCHITECTURE.md. */
export function readModules(markdown: string): ModuleRule[] {
  const rows = markdown.split('\n').filter((line) => line.startsWith('|'));
  const storageValues = rows.map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((storageValue) => storageValue.trim()),
  );
  const start = storageValues.findIndex((row) => row.join() === HEAD.join());
  if (start < 0) throw new Error(`ARCHITECTURE.md has no table with the columns ${HEAD.join(', ')}`);
  const moduleRules: ModuleRule[] = [];
  for (const [moduleRule = '', , imports = '', alone = ''] of storageValues.slice(start + 2)) {
    const paths = [...moduleRule.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path);
    if (paths.length === 0 || !paths.every((path) => path.startsWith('src/'))) break;
    moduleRules.push({ paths, mayImport: imports === 'all' ? 'all' : words(imports), aloneMayUse: words(alone) });
  }
  return moduleRules;
}

function words(storageValue: string): string[] {
  return storageValue
    .split(',')
    .map((word) => word.replaceAll('`', '').trim())
    .filter((word) => word !== '' && word !== '-');
}

/** The module that a file lies in: the longest path that fits. */
export function moduleOf(path: string, moduleRules: readonly ModuleRule[]): ModuleRule | undefined {
  let best: ModuleRule | undefined;
  let length = 0;
  for (const moduleRule of moduleRules) {
    for (const own of moduleRule.paths) {
      if ((path === own || path.startsWith(`${own}/`)) && own.length > length) {
        best = moduleRule;
        length = own.length;
      }
    }
  }
  return best;
}

/** Whether `from` may import from `to`. */
export function isImportAllowed(from: ModuleRule, to: ModuleRule): boolean {
  if (from === to || from.mayImport === 'all') return true;
  return from.mayImport.some((name) => to.paths.includes(`src/${name}`));
}

/** A thing that only some modules may use: how it is found in code, and in the modules that are imported. */
export interface Restricted {
  /** The words of the table that allow it. */
  readonly word: string;
  readonly code?: RegExp;
  readonly modules?: RegExp;
  /** What to do instead. */
  readonly instead: string;
}

/** What the column "exclusive use" can allow. What no row allows is forbidden everywhere. */
export const RESTRICTED: readonly Restricted[] = [
  { word: 'Date.now', code: /\bDate\.now\b|\bnew Date\(\)|\bperformance\.now\b/, instead: 'take a Clock' },
  {
    word: 'Math.random',
    code: /\bMath\.random\b|\bcrypto\.(?:randomUUID|getRandomValues)\b/,
    instead: 'use randomUuid or randomBytes of src/base/clock.ts',
  },
  {
    word: 'timers',
    code: /\b(?:setTimeout|setInterval|setImmediate|Bun\.sleep|Bun\.sleepSync)\b/,
    modules: /^node:timers(?:\/promises)?$/,
    instead: 'take a Clock',
  },
  { word: 'bun:sqlite', modules: /^bun:sqlite$|^node:sqlite$/, instead: 'go through the port' },
  {
    word: 'HTTP servers',
    code: /\bBun\.serve\b/,
    modules: /^node:(?:http|http2|https)$/,
    instead: 'src/http reads HTTP from sockets',
  },
  {
    word: 'child processes',
    code: /\bBun\.(?:spawn|spawnSync|\$)|(?<![\w.])\$`/,
    modules: /^node:(?:child_process|cluster)$/,
    instead: 'leave it to src/service',
  },
  {
    word: 'sockets',
    code: /\bBun\.(?:connect|listen|udpSocket)\b/,
    modules: /^node:(?:net|tls|dgram)$/,
    instead: 'leave it to src/http or src/engines/cluster',
  },
  // Its platform and its metrics are harmless: they neither read input nor change the process.
  {
    word: 'process.*',
    code: /(?<![\w.])process\.(?!(?:platform|memoryUsage|cpuUsage|resourceUsage|uptime)\b)|\bBun\.(?:env|argv)\b/,
    modules: /^node:process$/,
    instead: 'read it in src/main.ts and pass it on',
  },
];
