import { runAttacks } from './attacks.suite.ts';
import { VARIANTS } from './variants.ts';

runAttacks('statements', VARIANTS.two);
