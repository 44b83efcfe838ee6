import { commandCases } from '../../../test/test-service.ts';

commandCases('name', [['returns null if no name is configured', ['name', null]]]);
