/** Options of the configuration, as they are filtered and shown. */
import type { ConfigResult } from '../../client/commands.ts';
import { hasWords } from '../elements/words.ts';

/** Returns what kind of source sets an option. */
export function sourceKind({ source }: Pick<ConfigResult, 'source'>): 'default' | 'flag' | 'environment' | 'file' {
  if (source === 'default') return 'default';
  if (source.startsWith('--')) return 'flag';
  return /^[A-Z][A-Z0-9_]*$/.test(source) ? 'environment' : 'file';
}

/** Returns the text of a value. */
export function optionText(value: unknown): string {
  if (Array.isArray(value)) return value.map(optionText).join(', ');
  return value === '' ? '(empty)' : String(value);
}

/** Returns the options that contain every word of a text, in the path, the value, the source or the description. */
export function matchingOptions(
  options: readonly ConfigResult[],
  text: string,
  onlyChanged: boolean,
): readonly ConfigResult[] {
  return options.filter(({ path, value, source, help, environment }) => {
    if (onlyChanged && source === 'default') return false;
    return hasWords([path, optionText(value), source, help, environment].join(' '), text);
  });
}

/** Returns options by the part of the configuration that they belong to, in their order. */
export function byPart(options: readonly ConfigResult[]): ReadonlyMap<string, readonly ConfigResult[]> {
  return Map.groupBy(options, ({ path }) => (path.includes('.') ? (path.split('.', 1)[0] ?? '') : ''));
}
