import { commandCases } from '../../../test/test-service.ts';

commandCases('noop', [['does nothing', ['noop', null]]]);
