import { commandCases } from '../../../test/test-service.ts';

commandCases('name', [['is null where no name is configured', ['name', null]]]);
