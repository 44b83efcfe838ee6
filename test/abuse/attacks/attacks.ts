/** All attacks, one for each class of input, by their kind. */
import type { Attack } from './attack.ts';
import { BODY_ATTACKS } from './bodies.ts';
import { COMMAND_ATTACKS, PAGE_ATTACKS } from './commands.ts';
import { CREDENTIAL_ATTACKS } from './credentials.ts';
import { DECIMAL_ATTACKS } from './decimals.ts';
import { HEAD_ATTACKS } from './heads.ts';
import { EXPRESSION_ATTACKS, STATEMENT_ATTACKS } from './statements.ts';
import { WIDE_ATTACKS } from './wide.ts';

export const GROUPS = {
  bodies: BODY_ATTACKS,
  'credentials and heads': [...CREDENTIAL_ATTACKS, ...HEAD_ATTACKS],
  statements: STATEMENT_ATTACKS,
  'expressions and decimals': [...EXPRESSION_ATTACKS, ...DECIMAL_ATTACKS],
  commands: COMMAND_ATTACKS,
  'pages and wide tables': [...PAGE_ATTACKS, ...WIDE_ATTACKS],
} as const satisfies Readonly<Record<string, readonly Attack[]>>;

export const ATTACKS: readonly Attack[] = Object.values(GROUPS).flat();
