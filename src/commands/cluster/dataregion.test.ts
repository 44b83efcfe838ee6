import { commandCases } from '../../../test/gate.ts';

commandCases('dataregion', [
  ['has one object for each region', ['dataregion', [{ name: 'default' }]]],
  ['is empty while inactive', ['inactive', 'inactive started'], ['dataregion', []]],
]);
