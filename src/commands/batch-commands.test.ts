import { describe, expect, test } from 'bun:test';
import { DEFAULT_LIMITS } from '../base/limits.ts';
import { completeAtOnce } from '../base/slices.ts';
import { type BatchCommand, parseBatch } from './batch-commands.ts';

const LIMITS = { ...DEFAULT_LIMITS, parametersPerRequest: 2_000 };

function commandsOf(text: string): readonly BatchCommand[] {
  return completeAtOnce(parseBatch(text, LIMITS));
}

/** Returns the parameters that a list of keys sets. */
function numbered(keys: readonly string[]): Array<[string, string]> {
  return keys.map((each, at) => [`k${at + 1}`, each]);
}

const texts = Array.from({ length: 199 }, (_, at) => `a${at}`);

describe('parsing a batch', () => {
  test('pauses among many nested values of one command', () => {
    const steps = parseBatch(JSON.stringify([{ cmd: 'put', val: Array(20_000).fill([['a']]) }]), LIMITS);
    let count = 1;
    while (steps.next().done !== true) count++;
    expect(count).toBeGreaterThan(20);
  });

  test('reads the parameters of each command', () => {
    const commands = [...Array(9).keys()].map((n) => ({ cmd: `c${n}`, keys: texts, expectedRows: n, key: ['é'] }));
    const found = commandsOf(` [${commands.map((each) => JSON.stringify(each)).join(' , ')}]`);
    expect(found.map(({ cmd }) => cmd)).toEqual(commands.map(({ cmd }) => cmd));
    expect(found.map(({ options }) => options.expectedRows)).toEqual(commands.map((_, n) => BigInt(n)));
    expect(found.at(-1)?.failure?.code).toBe('REQUEST_MALFORMED');
    expect([...(found.at(-1)?.params ?? [])]).toEqual([['cmd', 'c8'], ['key', '["é"]'], ...numbered(texts)]);
  });

  test('accepts an object as the parameter of a command whose value is JSON', () => {
    const rights = { caches: { orders: 'read' } };
    const text = JSON.stringify(['roleadd', 'other'].map((cmd) => ({ cmd, rights })));
    const findStructured = (params: ReadonlyMap<string, string>) =>
      params.get('cmd') === 'roleadd' ? { json: 'rights' } : undefined;
    const found = completeAtOnce(parseBatch(text, LIMITS, false, findStructured));
    expect(found.map(({ failure }) => failure?.code)).toEqual([undefined, 'REQUEST_MALFORMED']);
    expect(found[0]?.params.get('rights')).toBe(JSON.stringify(rights));
  });

  test('accepts an array of strings as a list', () => {
    const text = '[{"cmd":"adduser","roles":["reader","writer"]},{"cmd":"other","roles":["reader"]}]';
    const findStructured = (params: ReadonlyMap<string, string>) =>
      params.get('cmd') === 'adduser' ? { lists: { roles: 'mayBeEmpty' } as const } : undefined;
    const found = completeAtOnce(parseBatch(text, LIMITS, false, findStructured));
    expect(found.map(({ failure }) => failure?.code)).toEqual([undefined, 'REQUEST_MALFORMED']);
    expect(found[0]?.params.get('roles')).toBe('reader,writer');
  });

  test('rejects more parameters than a request may have, of one command or of all', () => {
    const batchOf = (count: number) => JSON.stringify(Array(count).fill({ cmd: 'getall', keys: texts }));
    expect(commandsOf(batchOf(10))).toHaveLength(10);
    expect(() => commandsOf(batchOf(11))).toThrow('parameters of a batch');
    const one = commandsOf(JSON.stringify([{ cmd: 'getall', keys: Array(2_000).fill('a') }]));
    expect(one[0]?.failure?.code).toBe('LIMIT_EXCEEDED');
  });

  test.each([
    ['a text that ends too early', '{"cmd":"get"'],
    ['an item that is no object', '7]'],
  ])('rejects %s after many parameters', (_, end) => {
    const before = JSON.stringify(Array(9).fill({ cmd: 'getall', keys: texts })).slice(0, -1);
    expect(() => commandsOf(`${before},${end}`)).toThrow(expect.objectContaining({ code: 'REQUEST_MALFORMED' }));
  });
});
