/**
 * The values of options and limits that handwritten pages state. They are taken from the declarations, in two forms
 * outside code blocks: in parentheses behind the name of an option, `` `limits.caches` (4,096) ``, and in front of a
 * comment that names a fixed limit, `400<!-- CHANGE_FEED_BOUNDS.columns -->`, or a constant of a module, `10 s<!--
 * src/wiring/cluster-start.ts MAX_DELAY_MS -->`, also one of a client in another language.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as limits from '../../src/base/limits.ts';
import { OPTION_ROWS } from '../../src/configuration/options.ts';
import { withLanguages } from './guide-tabs.ts';
import { outsideBlocks } from './markdown.ts';

const root = join(import.meta.dir, '../..');

/** Pages that other generators write, whole or in part, and the values of past versions. */
const OTHER_PAGES = /^docs\/(?:reference|options|differences|errors|limits|metrics|performance|sql|upgrade)\b[^-]/;

/** Returns the paths of the pages that are written by hand and describe this version. */
export function handwrittenPages(): readonly string[] {
  return ['README.md', 'SECURITY.md', 'docs/*.md', 'docs/guides/*.md', 'docs/quick-starts/*.md', 'clients/*/README.md']
    .flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: root })])
    .filter((path) => !OTHER_PAGES.test(path))
    .sort();
}

/** Returns these pages with the values that the declarations have, and their examples in other languages. */
export function filledPages(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    handwrittenPages().map(
      (path) => [path, withLanguages(withValues(readFileSync(join(root, path), 'utf8')))] as const,
    ),
  );
}

const OF_OPTION =
  /(`([\w.]+)` \(|`([\w.]+)`\n[ ]*\()(\d(?:[\d.,]*\d)?(?:\s+(?:Ki|Mi|Gi|[KMG]iB|ms|s|min|h|d|bytes|seconds))?)(?=[\s),;])/g;
const OF_LIMIT =
  /\d(?:[\d.,]*\d)?(?: (?:Ki|Mi|Gi|[KMG]iB|ms|s|min|h|d|bytes))?(?=<!-- ((?:\w+\/\S+ )?[A-Za-z_]+(?:\.\w+)?) -->)/g;

/** Returns a page with the values of the declarations. Throws for the name of an unknown limit. */
export function withValues(markdown: string): string {
  return outsideBlocks(markdown, (text) =>
    text
      .replace(OF_OPTION, (found, begin: string, name?: string, broken?: string) => {
        const value = optionValue(name ?? broken ?? '');
        return value === undefined ? found : begin + value;
      })
      .replace(OF_LIMIT, (_, name: string) => limitValue(name)),
  );
}

function optionValue(name: string): string | undefined {
  const row = OPTION_ROWS.find(({ path, environment }) => path === name || environment === name);
  const [, digits, rest = ''] = /^(\d+)(\w*)/.exec(row?.option.defaultText ?? '') ?? [];
  if (row === undefined || digits === undefined) return undefined;
  // A duration has its unit.
  return rest === '' ? shownNumber(Number(digits), row.path, row.option.unit) : `${digits} ${rest}`;
}

function limitValue(name: string): string {
  const [path = '', constant] = name.split(' ');
  if (constant !== undefined) return constantValue(path, constant);
  const value = fixedLimits().get(name);
  if (value === undefined) throw new Error(`src/base/limits.ts has no number ${name}`);
  return value;
}

/** Durations of Go, in milliseconds. */
const GO_DURATIONS: ReadonlyMap<string, number> = new Map([
  ['time.Second', 1_000],
  ['time.Minute', 60_000],
]);

/** Returns a constant of a module, or a member of an object there: a number, or a product of numbers and constants. */
function constantValue(path: string, name: string): string {
  const product = declaredProduct(path, name);
  return shownNumber(productValue(path, product), product.includes('time.') ? `${name}Ms` : name, undefined);
}

function declaredProduct(path: string, name: string): string {
  const declared = new RegExp(`^\\s*(?:export )?(?:const )?${name}(?: +=|:) ([\\dA-Z][\\w. *]*)[;,]?$`, 'm').exec(
    readFileSync(join(root, path), 'utf8'),
  );
  if (declared?.[1] === undefined) throw new Error(`${path} has no number ${name}`);
  return declared[1];
}

function productValue(path: string, product: string): number {
  const factors = product.split(' * ').map((factor) => {
    if (/^\d[\d_.]*$/.test(factor)) return Number(factor.replaceAll('_', ''));
    return GO_DURATIONS.get(factor) ?? productValue(path, declaredProduct(path, factor));
  });
  return factors.reduce((value, factor) => value * factor);
}

/** Returns the fixed limits as pages state them, by name: `CHANGE_FEED_BOUNDS.columns`. */
export function fixedLimits(): ReadonlyMap<string, string> {
  const numbers = Object.entries(limits).flatMap(
    ([table, declared]): Array<[string, unknown]> =>
      typeof declared === 'object'
        ? Object.entries(declared).map(([member, value]) => [`${table}.${member}`, value])
        : [[table, declared]],
  );
  return new Map(
    numbers.flatMap(([name, value]) =>
      typeof value === 'number' ? [[name, shownNumber(value, name.slice(name.indexOf('.') + 1), undefined)]] : [],
    ),
  );
}

const DURATIONS: ReadonlyArray<readonly [seconds: number, unit: string]> = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
];
const SIZES: ReadonlyArray<readonly [size: number, prefix: string]> = [
  [1_024 ** 3, 'Gi'],
  [1_024 ** 2, 'Mi'],
  [1_024, 'Ki'],
];

/** Returns a number in the unit that is easiest to read; `name` ends in the unit that it is declared in. */
function shownNumber(value: number, name: string, unit: string | undefined): string {
  if (/ms$/i.test(name))
    return value >= 1_000 && value % 100 === 0 ? shownSeconds(value / 1_000) : `${grouped(value)} ms`;
  if (unit === 'seconds' || /seconds$/i.test(name)) return shownSeconds(value);
  const isBytes = /bytes(?:PerSecond)?$/i.test(name);
  if (!isBytes && !/characters$/i.test(name)) return grouped(value);
  const [size, prefix] = SIZES.find(([each]) => value >= each && value % each === 0) ?? [1, ''];
  return `${grouped(value / size)}${isBytes ? ` ${prefix === '' ? 'bytes' : `${prefix}B`}` : prefix && ` ${prefix}`}`;
}

function shownSeconds(seconds: number): string {
  const [length, unit] = DURATIONS.find(([each]) => seconds > each && seconds % each === 0) ?? [1, 's'];
  return `${grouped(seconds / length)} ${unit}`;
}

function grouped(value: number): string {
  return value.toLocaleString('en-US');
}
