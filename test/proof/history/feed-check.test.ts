/** The check of the change feed accepts what a correct feed may deliver, and rejects every kind of fault. */
import { describe, expect, test } from 'bun:test';
import { checkFeed, type FeedChange, type HistoryOperation, parseFeed, parseHistory } from './feed-check.ts';
import { PLANTED_FAULTS } from './planted.ts';

/** Key, call, return (-1: no answer), name, argument, expected, result. */
type Line = readonly [string, number, number, string, string | null, string | null, string | null];
/** Operation, key, value, old value; the position before it, unless it is that of the former change. */
type Received = readonly [string, string, string | null, string | null, number?];

function historyOf(lines: readonly Line[]): HistoryOperation[] {
  const texts = lines.map(([key, call, end, name, ...rest], client) =>
    [key, client, call, end, name, ...rest.map((text) => JSON.stringify(text))].join('\t'),
  );
  return parseHistory(`${texts.join('\n')}\n`);
}

function feedOf(received: readonly Received[]): FeedChange[] {
  const lines = received.map(([operation, key, value, oldValue, before], index) =>
    [(before ?? index) + 1, operation, key, JSON.stringify(value), JSON.stringify(oldValue)].join('\t'),
  );
  return parseFeed(`${lines.join('\n')}\n`);
}

const PUT_A: Line = ['k', 0, 10, 'put', 'a', null, 'true'];
const PUT_B: Line = ['k', 20, 30, 'put', 'b', null, 'true'];
const RMV: Line = ['k', 40, 50, 'rmv', null, null, 'true'];
const CREATED: Received = ['created', 'k', 'a', null];
const UPDATED: Received = ['updated', 'k', 'b', 'a'];
const REMOVED: Received = ['removed', 'k', null, 'b'];

test.each<readonly [string, readonly Line[], readonly Received[], Readonly<Record<string, string>>, readonly string[]]>(
  [
    ['a put, an update and a removal', [PUT_A, PUT_B, RMV], [CREATED, UPDATED, REMOVED], {}, []],
    ['changes of whole caches', [PUT_A], [['feedStarted', '', null, null], CREATED], { k: 'a' }, []],
    ['an unanswered put that took effect', [['k', 0, -1, 'put', 'a', null, null]], [CREATED], { k: 'a' }, []],
    ['an unanswered put that took none', [['k', 0, -1, 'put', 'a', null, null]], [], {}, []],
    ['a cas without effect', [PUT_A, ['k', 5, 9, 'cas', 'b', 'x', 'false']], [CREATED], { k: 'a' }, []],
    [
      'overlapping puts of two keys in any order',
      [PUT_A, ['l', 5, 15, 'put', 'c', null, 'true']],
      [['created', 'l', 'c', null], CREATED],
      { k: 'a', l: 'c' },
      [],
    ],
    [
      'two removals, of which the first fits into an earlier time only',
      [PUT_A, ['k', 11, 12, 'rmv', null, null, 'true'], PUT_B, ['k', 1, 60, 'rmv', null, null, 'true']],
      [CREATED, ['removed', 'k', null, 'a'], ['created', 'k', 'b', null], REMOVED],
      {},
      [],
    ],
    [
      'two removals, of which a removal of another key says which was the first',
      [
        ['l', 0, 5, 'put', 'c', null, 'true'],
        ['k', 1, 9, 'put', 'a', null, 'true'],
        ['l', 10, 22, 'rmv', null, null, 'true'],
        ['k', 12, 30, 'put', 'b', null, 'true'],
        ['k', 2, 100, 'rmv', null, null, 'true'],
        ['k', 24, 60, 'rmv', null, null, 'true'],
      ],
      [
        ['created', 'l', 'c', null],
        CREATED,
        ['removed', 'k', null, 'a'],
        ['removed', 'l', null, 'c'],
        ['created', 'k', 'b', null],
        REMOVED,
      ],
      {},
      [],
    ],
    ['a missing position', [PUT_A], [['created', 'k', 'a', null, 4]], { k: 'a' }, ['change 5 after change 0']],
    [
      'an answered put without a change',
      [PUT_A, PUT_B],
      [CREATED],
      { k: 'b' },
      ['k is b, but a by its changes', 'put of k (b) was answered, but has no change'],
    ],
    [
      'an answered removal without a change',
      [PUT_A, ['k', 11, 12, 'rmv', null, null, 'true']],
      [CREATED],
      { k: 'a' },
      ['1 removals of k were answered, but have no change'],
    ],
    [
      'a removal that nobody sent',
      [PUT_A],
      [CREATED, ['removed', 'k', null, 'a']],
      {},
      ['change 2: nobody removed k at that time'],
    ],
    [
      'a removal before it was sent',
      [PUT_A, ['k', 11, 12, 'rmv', null, null, 'true'], ['l', 1, 5, 'put', 'c', null, 'true']],
      [CREATED, ['removed', 'k', null, 'a'], ['created', 'l', 'c', null]],
      { l: 'c' },
      ['change 2: nobody removed k at that time', '1 removals of k were answered, but have no change'],
    ],
    [
      'a cas that was answered as without effect',
      [PUT_A, ['k', 5, 30, 'cas', 'b', 'a', 'false']],
      [CREATED, UPDATED],
      { k: 'b' },
      ['change 2 of k was made by cas, which was answered as without effect'],
    ],
    [
      'a cas of another value',
      [PUT_A, ['k', 5, 30, 'cas', 'b', 'x', 'true']],
      [CREATED, UPDATED],
      { k: 'b' },
      ['change 2 of k replaces a, expected x'],
    ],
    [
      'a getput that returned another value',
      [PUT_A, ['k', 5, 30, 'getput', 'b', null, 'x']],
      [CREATED, UPDATED],
      { k: 'b' },
      ['change 2 of k replaces a, but getput returned x'],
    ],
    [
      'a put in place of a creation',
      [PUT_A],
      [['updated', 'k', 'a', null]],
      { k: 'a' },
      ['change 1 of k is updated, but it should be created'],
    ],
    [
      'puts of two keys in an order that was not that of the clients',
      [PUT_A, ['l', 15, 20, 'put', 'c', null, 'true']],
      [['created', 'l', 'c', null], CREATED],
      { k: 'a', l: 'c' },
      ['change 2 of k was answered before change 1 of l was sent'],
    ],
    [
      'a read of a value that was replaced by the feed',
      [PUT_A, PUT_B, ['k', 40, 50, 'read', null, null, 'a']],
      [CREATED, UPDATED],
      { k: 'b' },
      ['a read of k returned a at a time when it was not stored by the feed'],
    ],
    [
      'a change within those of a request',
      [PUT_A, ['l', 1, 9, 'put', 'c', null, 'true'], ['m', 1, 9, 'put', 'd', null, 'true']],
      [['created', 'l', 'c', null], CREATED, ['created', 'm', 'd', null]],
      { k: 'a', l: 'c', m: 'd' },
      [],
    ],
  ],
)('%s', (_, history, received, contents, expected) => {
  expect(checkFeed(historyOf(history), feedOf(received), new Map(Object.entries(contents)))).toEqual([...expected]);
});

test('a change within those of one putall', () => {
  const history = historyOf([PUT_A, ['l', 1, 9, 'put', 'c', null, 'true'], ['m', 1, 9, 'put', 'd', null, 'true']]);
  const ofOneClient = history.map((each) => (each.key === 'k' ? each : { ...each, client: '7' }));
  const received = feedOf([['created', 'l', 'c', null], CREATED, ['created', 'm', 'd', null]]);
  expect(checkFeed(ofOneClient, received, new Map(Object.entries({ k: 'a', l: 'c', m: 'd' })))).toEqual([
    'changes 1 to 3 are of one request and have others in between',
  ]);
});

/** Puts and removals of three keys, two of them concurrent at any time, and then reads and removals without effect. */
function manyChanges(count: number): { history: Line[]; received: Received[]; contents: Map<string, string> } {
  const [history, received, contents] = [[] as Line[], [] as Received[], new Map<string, string>()];
  for (let index = 0; index < count; index++) {
    const key = `k${index % 3}`;
    const [call, end] = [index * 10, index * 10 + 15];
    const oldValue = contents.get(key) ?? null;
    if (oldValue !== null && Math.floor(index / 3) % 3 === 2) {
      history.push([key, call, end, 'rmv', null, null, 'true']);
      received.push(['removed', key, null, oldValue]);
      contents.delete(key);
    } else {
      history.push([key, call, end, 'put', `v${index}`, null, 'true']);
      received.push([oldValue === null ? 'created' : 'updated', key, `v${index}`, oldValue]);
      contents.set(key, `v${index}`);
    }
  }
  for (const key of ['k0', 'k1', 'k2']) {
    history.push([key, count * 20, count * 20 + 5, 'read', null, null, contents.get(key) ?? null]);
    history.push([key, count * 20 + 10, count * 20 + 15, 'rmv', null, null, 'false']);
  }
  return { history, received, contents };
}

describe('a planted fault is rejected:', () => {
  test.each(Object.entries(PLANTED_FAULTS))('%s', (_, plant) => {
    for (let count = 20; count < 40; count++) {
      const { history, received, contents } = manyChanges(count);
      const [operations, changes] = [historyOf(history), feedOf(received)];
      expect(checkFeed(operations, changes, contents)).toEqual([]);
      expect(checkFeed(operations, plant(changes, operations), contents)).not.toEqual([]);
    }
  });
});
