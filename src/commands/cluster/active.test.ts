import { commandCases } from '../../../test/test-service.ts';

commandCases('active', [
  [
    'sets the state ACTIVE',
    ['setstate state=INACTIVE', 'setstate done'],
    ['active', 'active started'],
    ['state', 'ACTIVE'],
  ],
  [
    'lifts read-only',
    ['setstate state=ACTIVE_READ_ONLY', 'setstate done'],
    ['active', 'active started'],
    ['put key=a val=1', true],
  ],
]);
