import { commandCases } from '../../../test/test-service.ts';

commandCases('tasklist', [
  [
    'lists the running tasks',
    ['tasklist', [{ id: 'task-3', name: 'length', user: '', startedAt: '2026-01-01T00:00:00.000Z' }]],
  ],
]);
