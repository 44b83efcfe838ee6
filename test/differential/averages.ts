/** Averages of decimals that are exactly between two decimals of their scale. */
import { withFurtherDigits } from './equivalents.ts';
import type { Outcome } from './targets.ts';

/**
 * Returns svc's outcome with such averages rounded towards zero in the rows that Ignite does not return. Returns
 * undefined when there are none.
 */
export async function withTiesTowardsZero(
  sql: string,
  svc: Outcome,
  ignite: Outcome,
  ask: (sql: string) => Promise<Outcome>,
): Promise<Outcome | undefined> {
  const precise = withFurtherDigits(sql);
  if (precise === sql || svc.kind === 'rejected' || ignite.kind === 'rejected') return undefined;
  const exact = await ask(precise);
  if (exact.kind === 'rejected' || exact.rows.length !== svc.rows.length) return undefined;
  const expected = new Set(ignite.rows.map((row) => row.join()));
  let hasTies = false;
  const rows = svc.rows.map((row, at) => {
    if (expected.has(row.join())) return row;
    return row.map((value, column) => {
      const truncated = truncatedTie(value, exact.rows[at]?.[column] ?? '');
      hasTies ||= truncated !== undefined;
      return truncated ?? value;
    });
  });
  return hasTies ? { ...svc, rows } : undefined;
}

/** Returns a decimal without the digits beyond the scale of `rounded`, if these are 5 and zeros. */
function truncatedTie(rounded: string, exact: string): string | undefined {
  const [, fraction = ''] = /^-?\d+(?:\.(\d+))?$/.exec(rounded) ?? [];
  const [, digits, rest] = new RegExp(`^(-?\\d+\\.\\d{${fraction.length}})(50*)$`).exec(exact) ?? [];
  return rest === undefined ? undefined : digits?.replace(/\.$/, '');
}
