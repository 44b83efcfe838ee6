/** All attacks. */
import type { Attack } from './attack.ts';
import { BODY_ATTACKS } from './bodies.ts';
import { DECIMAL_ATTACKS } from './decimals.ts';
import { STATEMENT_ATTACKS } from './statements.ts';

/** Attacks with a title that no former one has: lists overlap where a constant stands in several places. */
export const ATTACKS: readonly Attack[] = [
  ...new Map(
    // The first of equal titles stays, which is the one that `npm test` runs.
    [...BODY_ATTACKS, ...STATEMENT_ATTACKS, ...DECIMAL_ATTACKS].toReversed().map((attack) => [attack.title, attack]),
  ).values(),
].reverse();
