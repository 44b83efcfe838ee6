import { commandCases, failsWith } from '../../../test/test-service.ts';

commandCases('taskkill', [
  ['ends a running task', ['taskkill id=task-3', true]],
  ['reports an unknown task', ['taskkill id=x', failsWith('Failed to find a running task with ID: x')]],
  ['requires an id', ['taskkill', failsWith('mandatory parameter in request: id')]],
]);
