import { commandCases } from '../../../test/test-service.ts';

commandCases('version', [
  ['returns the version of the grid', ['version', 'model']],
  ['accepts its name in any letter case', ['VeRsIoN', 'model']],
  ['works while inactive', ['inactive', 'inactive started'], ['version', 'model']],
]);
