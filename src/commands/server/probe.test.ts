import { commandCases } from '../../../test/test-service.ts';

commandCases('probe', [
  ['tells that the service has started', ['probe', 'grid has started']],
  ['takes any kind', ['probe kind=liveness', 'grid has started'], ['probe kind=x', 'grid has started']],
]);
