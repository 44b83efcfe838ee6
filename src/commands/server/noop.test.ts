import { commandCases } from '../../../test/gate.ts';

commandCases('noop', [['does nothing', ['noop', null]]]);
