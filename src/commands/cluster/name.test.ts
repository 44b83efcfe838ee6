import { commandCases } from '../../../test/gate.ts';

commandCases('name', [['is null where no name is configured', ['name', null]]]);
