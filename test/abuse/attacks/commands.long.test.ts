import { runAttacks } from './attacks.suite.ts';
import { VARIANTS } from './variants.ts';

runAttacks('commands', VARIANTS.two);
