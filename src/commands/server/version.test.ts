import { commandCases } from '../../../test/test-service.ts';

commandCases('version', [
  ['is the one of the grid', ['version', 'model']],
  ['is known in any letter case', ['VeRsIoN', 'model']],
  ['answers while inactive', ['inactive', 'inactive started'], ['version', 'model']],
]);
