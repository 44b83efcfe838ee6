import { commandCases, failsWith } from '../../../test/test-service.ts';

commandCases('exe', [
  [
    'runs a task with its arguments',
    ['exe name=length p1=red p2=dish', { id: 'task-1', finished: true, error: '', result: '7' }],
  ],
  [
    'returns immediately with async=true',
    ['exe name=length async=true', { id: 'task-2', finished: false, error: '', result: null }],
  ],
  ['requires a name', ['exe', failsWith('mandatory parameter in request: name')], ['exe name=', failsWith('name')]],
  [
    'rejects an unknown task and reports its name and arguments',
    ['exe name=none p1=x', failsWith('[req=EXE, taskName=none, params=[x], err=Unknown task name')],
  ],
  [
    'rejects a non-numeric timeout',
    ['exe name=length timeout=x', failsWith('Failed to parse parameter of Long type [timeout=x]')],
  ],
]);

commandCases(
  'exe in compatibility mode reference',
  [['returns null as error', ['exe name=length', { id: 'task-1', finished: true, error: null, result: '0' }]]],
  { compatibility: 'reference' },
);
