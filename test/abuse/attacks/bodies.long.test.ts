import { runAttacks } from './attacks.suite.ts';
import { VARIANTS } from './variants.ts';

runAttacks('bodies', VARIANTS.one);
