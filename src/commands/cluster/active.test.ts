import { commandCases } from '../../../test/test-service.ts';

commandCases('active', [
  [
    'sets the state ACTIVE',
    ['setstate state=INACTIVE', 'setstate done'],
    ['active', 'active started'],
    ['state', 'ACTIVE'],
  ],
  [
    'ends the read-only state',
    ['setstate state=ACTIVE_READ_ONLY', 'setstate done'],
    ['active', 'active started'],
    ['put key=a val=1', true],
  ],
]);
