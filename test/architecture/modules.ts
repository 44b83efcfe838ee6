/** The module table of ARCHITECTURE.md: allowed imports and exclusive uses. */

/** One row of the table. */
export interface ModuleRule {
  /** Folders (`src/base`) and files (`src/main.ts`) of the module. */
  readonly paths: readonly string[];
  /** Names of the other modules that it may import; `all`: every module. */
  readonly mayImport: readonly string[] | 'all';
  /** Words of the column "exclusive use". */
  readonly exclusiveUses: readonly string[];
}

const HEAD = ['module', 'responsibility', 'may import', 'exclusive use'];

/** Reads the table of modules from the text of ARCHITECTURE.md. */
export function readModules(markdown: string): ModuleRule[] {
  const lines = markdown.split('\n').filter((line) => line.startsWith('|'));
  const rows = lines.map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((text) => text.trim()),
  );
  const start = rows.findIndex((row) => row.join() === HEAD.join());
  if (start < 0) throw new Error(`ARCHITECTURE.md has no table with the columns ${HEAD.join(', ')}`);
  const rules: ModuleRule[] = [];
  for (const [rule = '', , imports = '', exclusive = ''] of rows.slice(start + 2)) {
    const paths = [...rule.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path);
    if (paths.length === 0 || !paths.every((path) => path.startsWith('src/'))) break;
    rules.push({ paths, mayImport: imports === 'all' ? 'all' : words(imports), exclusiveUses: words(exclusive) });
  }
  return rules;
}

function words(list: string): string[] {
  return list
    .split(',')
    .map((word) => word.replaceAll('`', '').trim())
    .filter((word) => word !== '' && word !== '-');
}

/** Returns the module of a file: the one whose path is the longest prefix. */
export function moduleOf(path: string, rules: readonly ModuleRule[]): ModuleRule | undefined {
  let best: ModuleRule | undefined;
  let length = 0;
  for (const rule of rules) {
    for (const own of rule.paths) {
      if ((path === own || path.startsWith(`${own}/`)) && own.length > length) {
        best = rule;
        length = own.length;
      }
    }
  }
  return best;
}

/** Reports whether `from` may import from `to`. */
export function isImportAllowed(from: ModuleRule, to: ModuleRule): boolean {
  if (from === to || from.mayImport === 'all') return true;
  return from.mayImport.some((name) => to.paths.includes(`src/${name}`));
}

/** Something that only some modules may use: the patterns that find it in code and in import paths. */
export interface Restricted {
  /** The words of the table that allow it. */
  readonly word: string;
  readonly code?: RegExp;
  readonly modules?: RegExp;
  /** What to do instead. */
  readonly instead: string;
}

/** Everything that the column "exclusive use" can allow. If no row allows it, it is forbidden everywhere. */
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
  { word: 'bun:sqlite', modules: /^bun:sqlite$|^node:sqlite$/, instead: 'use the Grid interface' },
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
  // The platform and resource usage are harmless: they neither read input nor change the process.
  {
    word: 'process.*',
    code: /(?<![\w.])process\.(?!(?:platform|memoryUsage|\w*[cC]puUsage|resourceUsage|uptime)\b)|\bBun\.(?:env|argv)\b/,
    modules: /^node:process$/,
    instead: 'read it in src/main.ts and pass it on',
  },
];
