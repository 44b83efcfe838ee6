import { commandCases } from '../../../test/test-service.ts';

commandCases('dataregion', [
  ['has one object for each region', ['dataregion', [{ name: 'default' }]]],
  ['is empty while inactive', ['inactive', 'inactive started'], ['dataregion', []]],
]);
