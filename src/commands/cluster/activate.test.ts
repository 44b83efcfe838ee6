import { commandCases } from '../../../test/test-service.ts';

commandCases('activate', [
  [
    'sets the state ACTIVE',
    ['setstate state=INACTIVE', 'setstate done'],
    ['activate', 'activate started'],
    ['state', 'ACTIVE'],
  ],
  [
    'ends the read-only state',
    ['setstate state=ACTIVE_READ_ONLY', 'setstate done'],
    ['activate', 'activate started'],
    ['put key=a val=1', true],
  ],
]);
