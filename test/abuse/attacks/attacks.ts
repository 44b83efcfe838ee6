/** All attacks. */
import type { Attack } from './attack.ts';
import { BODY_ATTACKS } from './bodies.ts';
import { COMMAND_ATTACKS } from './commands.ts';
import { CREDENTIAL_ATTACKS } from './credentials.ts';
import { DECIMAL_ATTACKS } from './decimals.ts';
import { STATEMENT_ATTACKS } from './statements.ts';
import { WIDE_ATTACKS } from './wide.ts';

/** Returns the attacks without those whose title an earlier one has. The lists overlap. */
export const ATTACKS: readonly Attack[] = [
  ...new Map(
    // The first of equal titles is the one that `npm test` runs.
    [
      ...BODY_ATTACKS,
      ...CREDENTIAL_ATTACKS,
      ...STATEMENT_ATTACKS,
      ...DECIMAL_ATTACKS,
      ...COMMAND_ATTACKS,
      ...WIDE_ATTACKS,
    ]
      .toReversed()
      .map((attack) => [attack.title, attack]),
  ).values(),
].reverse();
