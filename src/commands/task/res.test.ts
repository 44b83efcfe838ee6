import { commandCases, refused } from '../../../test/test-service.ts';

commandCases('res', [
  [
    'gives the result of a started task',
    ['exe name=length async=true', { id: 'task-2', finished: false, error: '', result: null }],
    ['res id=task-2', { id: 'task-2', finished: true, error: '', result: 5 }],
  ],
  ['refuses an id that is none', ['res id=x', refused('Failed to parse id parameter: x')]],
  ['needs an id', ['res', refused('mandatory parameter in request: id')]],
]);
