import { commandCases } from '../../../test/test-service.ts';

commandCases('dataregion', [
  ['returns one object for each region', ['dataregion', [{ name: 'default' }]]],
  ['returns an empty array while inactive', ['inactive', 'inactive started'], ['dataregion', []]],
]);
