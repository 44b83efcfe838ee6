import { commandCases } from '../../../test/test-service.ts';

commandCases('probe', [
  ['reports that the service has started', ['probe', 'grid has started']],
  ['accepts any kind', ['probe kind=liveness', 'grid has started'], ['probe kind=x', 'grid has started']],
]);
