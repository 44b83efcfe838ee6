import { commandCases, compatibilityCases, failsWith } from '../../../test/test-service.ts';

commandCases('res', [
  [
    'returns the result of a started task',
    ['exe name=length async=true', { id: 'task-2', finished: false, error: '', result: null }],
    ['res id=task-2', { id: 'task-2', finished: true, error: '', result: 5 }],
  ],
  ['rejects an invalid id', ['res id=x', failsWith('Failed to parse id parameter: x')]],
  [
    'says that a task ran synchronously',
    [
      'res id=~3f0c1c9e-6c55-4a0e-8a8e-0d3f7a4b2c11',
      failsWith('The task ran synchronously, so its result was in the response of exe'),
    ],
  ],
  ['requires an id', ['res', failsWith('mandatory parameter in request: id')]],
]);

compatibilityCases('res', [['rejects the id of a synchronous task', ['res id=~x', failsWith('id parameter: ~x')]]]);
