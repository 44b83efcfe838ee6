import { runAttacks } from './attacks.suite.ts';
import { VARIANTS } from './variants.ts';

runAttacks('expressions and decimals', VARIANTS.two);
