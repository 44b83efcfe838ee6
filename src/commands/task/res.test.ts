import { commandCases, failsWith } from '../../../test/test-service.ts';

commandCases('res', [
  [
    'returns the result of a started task',
    ['exe name=length async=true', { id: 'task-2', finished: false, error: '', result: null }],
    ['res id=task-2', { id: 'task-2', finished: true, error: '', result: 5 }],
  ],
  ['rejects an invalid id', ['res id=x', failsWith('Failed to parse id parameter: x')]],
  ['requires an id', ['res', failsWith('mandatory parameter in request: id')]],
]);
