import { NODE, options } from '../../../test/fixtures/commands/nodes.ts';
import { commandCases, failsWith } from '../../../test/test-service.ts';

commandCases(
  'top',
  [
    ['returns all nodes', ['top', [NODE]]],
    ['ignores the address', ['top ip=10.0.0.8', [NODE]]],
    ['rejects an invalid id', ['top id=here', failsWith('here')]],
  ],
  options,
);
