import { commandCases, refused } from '../../../test/test-service.ts';

commandCases('exe', [
  [
    'runs a task with its arguments',
    ['exe name=length p1=red p2=dish', { id: 'task-1', finished: true, error: '', result: '7' }],
  ],
  [
    'takes arguments up to the first gap',
    ['exe name=length p1=red p3=dish', { id: 'task-1', finished: true, error: '', result: '3' }],
  ],
  [
    'only starts it when asked to',
    ['exe name=length async=true', { id: 'task-2', finished: false, error: '', result: null }],
  ],
  ['needs a name', ['exe', refused('mandatory parameter in request: name')], ['exe name=', refused('name')]],
  [
    'refuses an unknown task, and names it with its arguments',
    ['exe name=none p1=x', refused('[req=EXE, taskName=none, params=[x], err=Unknown task name')],
  ],
  [
    'refuses a time limit that is no long',
    ['exe name=length timeout=x', refused('Failed to parse parameter of Long type [timeout=x]')],
  ],
]);

commandCases(
  'exe in compatibility mode reference',
  [['has no error member text', ['exe name=length', { id: 'task-1', finished: true, error: null, result: '0' }]]],
  { compatibility: 'reference' },
);
