import { describe, expect, test } from 'bun:test';
import { DEFAULT_LIMITS } from '../base/limits.ts';
import { completeAtOnce } from '../base/slices.ts';
import { type BatchCommand, type BatchPart, parseBatch, UnreadPart } from './batch-commands.ts';

const VALUES = 20_000;
/** A step reads at most so many values. */
const STEP_VALUES = 256;

const LIMITS = { ...DEFAULT_LIMITS, parametersPerRequest: 100_000 };

/** Returns the number of steps of parsing a batch. */
function stepsOf(commands: readonly unknown[]): number {
  const steps = parseBatch(JSON.stringify(commands), LIMITS);
  let count = 1;
  while (steps.next().done !== true) count++;
  return count;
}

/** Reads all parts. */
function read(parts: readonly BatchPart[]): BatchCommand[] {
  return parts.flatMap((part) => (part instanceof UnreadPart ? completeAtOnce(part.read()) : part));
}

function commandsOf(commands: readonly unknown[]): BatchCommand[] {
  return read(completeAtOnce(parseBatch(JSON.stringify(commands), LIMITS)));
}

/** Returns the parameters that a list of keys sets. */
function numbered(keys: readonly string[]): Array<[string, string]> {
  return keys.map((each, at) => [`k${at + 1}`, each]);
}

const texts = Array.from({ length: VALUES }, (_, at) => `a${at}`);

describe('parsing a batch', () => {
  test.each([
    ['members', Object.fromEntries(texts.map((each) => [each, '1']))],
    ['items of a list', { keys: texts }],
    ['nested values', { val: texts.map((each) => [[each]]) }],
  ])('pauses among many %s of one command', (_, members) => {
    expect(stepsOf([{ cmd: 'put', ...members }])).toBeGreaterThan(VALUES / STEP_VALUES);
  });

  test('continues after a pause where it was', () => {
    const [command] = commandsOf([{ cmd: 'getall', keys: texts }]);
    expect([...(command?.params ?? [])]).toEqual([['cmd', 'getall'], ...numbered(texts)]);
  });

  test('reads commands with many parameters in all when it is their turn', () => {
    const commands = [...Array(10).keys()].map((n) => ({ cmd: `c${n}`, keys: texts, expectedRows: n, key: ['é'] }));
    const text = ` [${commands.map((each) => JSON.stringify(each)).join(' , ')}]`;
    const parts = completeAtOnce(parseBatch(text, LIMITS));
    expect(parts.map((part) => part instanceof UnreadPart)).toEqual([false, true, true, true]);
    const found = read(parts);
    expect(found.map(({ cmd }) => cmd)).toEqual(commands.map(({ cmd }) => cmd));
    expect(found.map(({ options }) => options.expectedRows)).toEqual(commands.map((_, n) => BigInt(n)));
    expect(found.at(-1)?.failure?.code).toBe('REQUEST_MALFORMED');
    expect([...(found.at(-1)?.params ?? [])]).toEqual([['cmd', 'c9'], ['key', '["é"]'], ...numbered(texts)]);
  });

  test.each([
    ['a text that ends too early', '{"cmd":"get"'],
    ['an item that is no object', '7]'],
  ])('rejects %s after many parameters', (_, end) => {
    const before = JSON.stringify(Array(10).fill({ cmd: 'getall', keys: texts })).slice(0, -1);
    const parse = () => completeAtOnce(parseBatch(`${before},${end}`, LIMITS));
    expect(parse).toThrow(expect.objectContaining({ code: 'REQUEST_MALFORMED' }));
  });
});
