import { runAttacks } from './attacks.suite.ts';
import { VARIANTS } from './variants.ts';

runAttacks('credentials and heads', VARIANTS.authentication);
