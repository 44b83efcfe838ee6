/** A hash of the declarations that stored data depends on: services that take over from each other have the same. */
import type { Configuration } from '../../configuration/configuration.ts';

type Declared = Pick<Configuration, 'regions' | 'templates' | 'caches' | 'classes' | 'defaultCache'>;

export function declarationsHash({ regions, templates, caches, classes, defaultCache }: Declared): string {
  const text = JSON.stringify({ regions, templates, caches, classes, defaultCache }, (_key, value: unknown) =>
    typeof value === 'bigint' || typeof value === 'function' ? String(value) : value,
  );
  return new Bun.CryptoHasher('sha256').update(text).digest('hex').slice(0, 16);
}
