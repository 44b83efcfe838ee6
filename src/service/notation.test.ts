/** The notation of a request, through the pipeline (docs/spec/extensions.md 2). */
import { describe, expect, test } from 'bun:test';
import { openTestService } from '../../test/test-service.ts';
import type { Value } from '../values/value.ts';

const LONG = '9007199254740993';

async function answers(more: string, headers: Record<string, string> = {}): Promise<string[]> {
  const service = openTestService();
  await service.send(`put key=n val=${LONG} valueType=long`);
  await service.send('put key=d val=2024-02-29%2023:59:59.5 valueType=timestamp');
  const requests = ['get key=n', 'get key=d', 'getall k1=n k2=d', 'size', `incr key=c init=${LONG} delta=0`];
  return Promise.all(requests.map(async (request) => (await service.send(`${request} ${more}`, headers)).text));
}

const USUAL = [LONG, '"2024-02-29 23:59:59.5"', `{"n":${LONG},"d":"2024-02-29 23:59:59.5"}`, '2', LONG];
const STRINGS = [
  `"${LONG}"`,
  '"2024-02-29 23:59:59.5"',
  `{"n":"${LONG}","d":"2024-02-29 23:59:59.5"}`,
  '"2"',
  `"${LONG}"`,
];
const ISO = [LONG, '"2024-02-29T23:59:59.5"', `{"n":${LONG},"d":"2024-02-29T23:59:59.5"}`, '2', LONG];

describe('the notation of an answer', () => {
  const cases: ReadonlyArray<
    readonly [title: string, parameters: string, prefer: string | undefined, texts: string[]]
  > = [
    ['is the usual one by default', 'httpStatus=false', undefined, USUAL],
    ['numbers=string returns exact numbers as strings [12.1]', 'numbers=string', undefined, STRINGS],
    ['accepts the words in any case', 'numbers=STRING', undefined, STRINGS],
    ['dates=iso returns ISO 8601', 'dates=iso', undefined, ISO],
    ['the header Prefer asks for the same [12.3]', 'httpStatus=false', 'numbers=string', STRINGS],
    ['the header may have other preferences', 'httpStatus=false', 'wait=5, dates="iso"; foo', ISO],
    ['an unknown word of the header is ignored', 'httpStatus=false', 'numbers=roman', USUAL],
    ['a parameter takes precedence over the header', 'numbers=number', 'numbers=string, dates=iso', ISO],
  ];
  for (const [title, parameters, prefer, texts] of cases) {
    test(title, async () => {
      expect(await answers(parameters, prefer === undefined ? {} : { prefer })).toEqual(texts);
    });
  }

  test('an unknown word of a parameter is an error, and nothing is stored', async () => {
    const service = openTestService();
    const { error } = await service.send('put key=a val=1 numbers=roman');
    expect(error).toBe('Unknown notation [numbers=roman] (expected one of: number, string)');
    expect((await service.send('get key=a')).response).toBeNull();
    expect((await service.send('get key=a dates=us')).error).toContain('(expected one of: text, iso)');
  });

  test('applies to what the message interceptor returns', async () => {
    const onSend = (value: Value): Value => (value.type === 'string' ? { type: 'long', data: 7n } : value);
    const service = openTestService({ service: { onSend } });
    await service.send('put key=a val=1');
    expect((await service.send('get key=a numbers=string')).text).toBe('"7"');
    expect((await service.send('get key=a')).text).toBe('7');
  });

  test('applies to keys of getall in compatibility mode reference', async () => {
    const service = openTestService({ compatibility: 'reference' });
    await service.send('getorcreate cacheName=c');
    await service.send('put cacheName=c key=2024-02-29 keyType=date val=1');
    const { text } = await service.send('getall cacheName=c k1=2024-02-29 keyType=date dates=iso');
    expect(text).toBe('{"2024-02-29":"1"}');
  });
});
