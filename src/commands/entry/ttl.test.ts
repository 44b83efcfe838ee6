import { commandCases, failsWith } from '../../../test/test-service.ts';

commandCases('ttl', [
  [
    'ttl returns what is left, and null without a deadline [11.3]',
    ['put key=a val=1 ttlMs=1000', true],
    ['ttl key=a', 1_000],
    400,
    ['ttl key=a', 600],
    599,
    ['ttl key=a', 1],
  ],
  ['returns null without a deadline', ['put key=a val=1', true], ['ttl key=a', null]],
  ['ttl fails for an absent key [11.4]', ['ttl key=a', failsWith('Failed to find entry for given key: a')]],
  [
    'fails for an expired key',
    ['put key=5 keyType=int val=1 ttlMs=10', true],
    10,
    ['ttl key=5 keyType=int', failsWith('[req=CACHE_TTL, err=Failed to find entry for given key: 5]')],
  ],
  [
    'counts no read',
    ['put key=a val=1', true],
    ['ttl key=a', null],
    [
      'cache',
      {
        createTime: 1_700_000_000_000,
        readTime: 0,
        writeTime: 1_700_000_000_000,
        hits: 0,
        misses: 0,
        reads: 0,
        writes: 1,
      },
    ],
  ],
  [
    'sees the deadline of exp and of updatettl',
    ['put key=a val=1 exp=1000', true],
    ['ttl key=a', 1_000],
    ['updatettl key=a ttlMs=2000', true],
    ['ttl key=a', 2_000],
    ['updatettl key=a ttlMs=0', true],
    ['ttl key=a', null],
  ],
]);
