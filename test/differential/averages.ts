/** Sums and averages that svc computes exactly, and Ignite with doubles. */
import { withFurtherDigits, withMagnitudes } from './equivalents.ts';
import type { Outcome } from './targets.ts';

/**
 * Returns svc's outcome with the averages that are exactly between two decimals of their scale rounded towards zero, in
 * the rows that Ignite does not return. Returns undefined if there are none.
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

/** The largest error of a sum of doubles, as a share of the sum of their magnitudes. */
const ERROR_SHARE = 1e-13;

/**
 * Returns svc's outcome with the numbers of Ignite where these differ by no more than the error of a sum of doubles,
 * whose terms may be larger than the sum. Returns undefined where other rows differ.
 */
export async function withErrorsOfDoubles(
  sql: string,
  svc: Outcome,
  ignite: Outcome,
  ask: (sql: string) => Promise<Outcome>,
): Promise<Outcome | undefined> {
  const magnitudeSql = withMagnitudes(sql);
  if (magnitudeSql === sql || svc.kind === 'rejected' || ignite.kind === 'rejected') return undefined;
  const magnitudes = await ask(magnitudeSql);
  if (magnitudes.kind === 'rejected') return undefined;
  // The statement may order its rows by the sums, so that the rows of the magnitudes are others.
  const largest = magnitudes.types.map((_, column) =>
    magnitudes.rows.reduce((most, row) => Math.max(most, Math.abs(Number(row[column])) || 0), 0),
  );
  const ours = new Set(svc.rows.map((row) => row.join()));
  const theirs = ignite.rows.filter((row) => !ours.has(row.join()));
  const expected = new Set(ignite.rows.map((row) => row.join()));
  const rows = svc.rows.map((row) => {
    if (expected.has(row.join())) return row;
    const close = theirs.findIndex((other) =>
      other.every((value, column) => isWithinError(row[column], value, largest[column] ?? 0)),
    );
    return theirs.splice(close, close < 0 ? 0 : 1)[0] ?? row;
  });
  return { ...svc, rows };
}

function isWithinError(value: string | undefined, other: string, magnitude: number): boolean {
  if (value === other) return true;
  const distance = Math.abs(Number(value) - Number(other));
  return distance <= ERROR_SHARE * magnitude;
}
