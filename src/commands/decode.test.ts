/** Decoding in steps, which requests with thousands of parameters use, must do the same as decoding at once. */
import { describe, expect, test } from 'bun:test';
import { GridError } from '../base/errors.ts';
import { DEFAULT_LIMITS } from '../base/limits.ts';
import { COMPATIBILITY_FLAGS } from './compatibility-flags.ts';
import { compileDecoder } from './decode.ts';
import type { Source } from './params.ts';
import { findCommand } from './registry.ts';

type Pairs = ReadonlyArray<readonly [string, string]>;

function numbered(stem: string, count: number, from = 1): Pairs {
  return Array.from({ length: count }, (_, at) => [`${stem}${from + at}`, String(at)]);
}

function sourceOf(pairs: Pairs, ignored: string[]): Source {
  return {
    params: new Map(pairs),
    registry: { find: () => undefined },
    serviceName: 'svc',
    defaultCache: 'default',
    compatibilityFlags: COMPATIBILITY_FLAGS.contract,
    limits: DEFAULT_LIMITS,
    strictParameters: false,
    onReceive: undefined,
    ignored: (_, name) => ignored.push(name),
  };
}

function decoderOf(name: string) {
  const command = findCommand(name);
  if (command === undefined) throw new Error(`no command ${name}`);
  return compileDecoder(command, 'svc');
}

/** Returns what an action returns, or the error that it throws. */
function attempt(action: () => unknown): unknown {
  try {
    return action();
  } catch (error) {
    if (error instanceof GridError) return { code: error.code, message: error.message };
    throw error;
  }
}

describe('decoding in steps', () => {
  const cases: ReadonlyArray<readonly [title: string, command: string, pairs: Pairs]> = [
    ['keys and values', 'putall', [...numbered('k', 3_000), ...numbered('v', 3_000)]],
    ['typed keys', 'getall', [['keyType', 'long'], ...numbered('k', 2_000)]],
    ['a value that is invalid', 'putall', [['valueType', 'int'], ...numbered('k', 500), ['v1', '1'], ['v2', 'x']]],
    ['more values than keys', 'putall', [...numbered('k', 1_000), ...numbered('v', 1_001)]],
    ['a gap', 'getall', [...numbered('k', 1_000), ...numbered('k', 1_000, 1_002)]],
    ['too many keys', 'getall', numbered('k', DEFAULT_LIMITS.keysPerCommand + 1)],
    ['a misspelt name', 'rmvall', [...numbered('k', 2_000), ['cachename', 'a']]],
    ['undeclared names', 'conkeys', [...numbered('k', 700), ...numbered('trace', 600)]],
    ['no keys', 'getall', [['cacheName', 'a']]],
    ['arguments of a statement', 'qryfldexe', [['qry', 'select 1'], ['arg2Type', 'null'], ...numbered('arg', 3_000)]],
    ['exclusive parameters', 'put', [['key', 'a'], ['val', 'b'], ['exp', '1'], ['ttlMs', '1'], ...numbered('k', 600)]],
  ];
  test.each(cases)('%s', (_, name, pairs) => {
    const decoder = decoderOf(name);
    const ignoredAtOnce: string[] = [];
    const ignored: string[] = [];
    let steps = 0;
    const atOnce = attempt(() => decoder.read(sourceOf(pairs, ignoredAtOnce)));
    const inSteps = attempt(() => {
      const work = decoder.readInSteps(sourceOf(pairs, ignored));
      for (let next = work.next(); ; next = work.next()) {
        if (next.done === true) return next.value;
        steps++;
      }
    });
    expect(inSteps).toEqual(atOnce);
    expect(ignored).toEqual(ignoredAtOnce);
    expect(steps).toBeGreaterThanOrEqual(Math.floor(pairs.length / 512));
  });
});
