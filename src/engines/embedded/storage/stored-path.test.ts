import { describe, expect, test } from 'bun:test';
import {
  type RandomSource,
  randomText,
  randomValue,
  seededRandom,
} from '../../../../test/fixtures/values/random-values.ts';
import { findItem, type JsonItem, type PathStep } from '../../../sql/types/json-path.ts';
import type { Value } from '../../../values/value.ts';
import { storedPath } from './stored-path.ts';
import { decodeFields, encodeFields } from './value-storage.ts';

const SEED = 20261129;
const OBJECTS = 1_500;

/** The result of a path in the whole value. */
function inValue(text: string, steps: readonly PathStep[]): JsonItem | undefined {
  return findItem({ kind: 'value', value: { type: 'object', typeName: 'T', fields: decodeFields(text) } }, steps);
}

const TEXT =
  '["a",1,"b\\"],",[35,"T]","c",[31,[5,"9007199254740993"],"x"],"d",{}],"e\\\\",[16,"-12",3],"f",null,"a\\u0000",true]';
const CASES: ReadonlyArray<readonly [steps: readonly PathStep[], text?: string]> = [
  [['a']],
  [['A']],
  [['b']],
  [['b"],', 'c']],
  [['b"],', 'c', 0]],
  [['b"],', 'c', -1]],
  [['b"],', 'c', 5]],
  [['b"],', 'none']],
  [['b"],', 1]],
  [['e\\']],
  [['e\\', 'x']],
  [['f']],
  [['f', 'x']],
  [['a\0']],
  [[0]],
  [['T]']],
  [['']],
  [['a'], '[]'],
  [['a', 'b'], '["a",[35,"T"]]'],
  [['a', 'b'], '["a",[32,"b",1,"c",[33,"E",0,null]]]'],
  [['a', 'b', 'c'], '["a",[32,"b",[32,"d",[31,1],"c",[6,1.5]],"e",null]]'],
  [['a', 'b', 'none'], '["a",[32,"b",[32,"d",[31,1],"c",[6,1.5]],"e",null]]'],
  [['a', 'b', 0], '["a",[32,"b",[31,5]]]'],
  [['a', 'b'], '["a",[32]]'],
  [['a', 'b'], '["a",[32,"b",1,"b",2]]'],
  [['a', '1'], '["a",[32,"1",2,1,3]]'],
  [['a', '1'], '["a",[32,1,2,"1",3]]'],
  [['a', 'b', 'c'], '["a",[35,"T","b",[32,"c",7]]]'],
  [['a', 'b', 'c'], '["a",[32,"b",[35,"T","c",7]]]'],
  [['a'], '["a",[30,"char",[8,"x"],[8,"y"]]]'],
  [['a', 0], '["a",[30,"char",[8,"x"],[8,"y"]]]'],
  [['\ud800'], '["\\ud800",1]'],
  [['é😀'], '["é😀","ж\\n"]'],
];
for (const [steps, given = TEXT.replace('{}', '[34,"C","t"]')] of CASES)
  test(`${JSON.stringify(steps)} in ${given.slice(0, 40)} finds what it finds in the value`, () => {
    expect({ found: storedPath(steps)(given) }).toEqual({ found: inValue(given, steps) });
  });

/** Returns a path that finds a part of the value, or nearly does. */
function randomPath(random: RandomSource, from: Value): PathStep[] {
  const steps: PathStep[] = [];
  let value: Value | undefined = from;
  do {
    const parts: Array<readonly [PathStep, Value]> =
      value?.type === 'object'
        ? value.fields.map((field) => [field.name, field.value])
        : value?.type === 'map'
          ? value.data.map(([key, item]) => [key.type === 'string' ? key.data : 0, item])
          : value?.type === 'list'
            ? value.data.map((item, at) => [at, item])
            : [];
    const part: readonly [PathStep, Value] | undefined = parts[random.below(parts.length + 1)];
    steps.push(part?.[0] ?? (random.below(2) === 0 ? random.below(3) - 1 : randomText(random, 3)));
    value = part?.[1];
  } while (value !== undefined && random.below(4) > 0);
  return steps;
}

describe(`random objects, seed ${SEED}`, () => {
  const random = seededRandom(SEED);
  const objects = Array.from({ length: OBJECTS }, () => {
    const names = new Set(Array.from({ length: random.below(6) }, () => randomText(random, 4)));
    const fields = [...names].map((name) => ({ name, value: randomValue(random, 3) }));
    const text = encodeFields(fields);
    const steps = randomPath(random, { type: 'object', typeName: 'T', fields });
    return { text, steps, whole: inValue(text, steps) };
  });

  test('a path finds what it finds in the value', () => {
    for (const { text, steps, whole } of objects)
      expect({ text, steps, found: storedPath(steps)(text) }).toEqual({ text, steps, found: whole });
    expect(objects.filter(({ whole }) => whole !== undefined).length).toBeGreaterThan(OBJECTS / 10);
  });

  test('a text that was cut is damaged, or the part is before the cut', () => {
    let rejected = 0;
    for (const { text, steps, whole } of objects) {
      const cut = text.slice(0, random.below(text.length));
      let found: JsonItem | undefined;
      try {
        found = storedPath(steps)(cut);
      } catch {
        rejected++;
        continue;
      }
      expect({ text, steps, cut, found }).toEqual({ text, steps, cut, found: whole });
    }
    expect(rejected).toBeGreaterThan(OBJECTS / 4);
  });

  test('a text with another character ends with a part or with an error', () => {
    for (const { text, steps } of objects) {
      const at = random.below(text.length);
      const changed = `${text.slice(0, at)}${'[]",\\{0'[random.below(7)] ?? ''}${text.slice(at + 1)}`;
      try {
        storedPath(steps)(changed);
      } catch (error) {
        expect(error).toBeInstanceOf(Error);
      }
    }
  });
});

test('structures before the part are skipped however deep they are', () => {
  const deep = `${'[31,'.repeat(200_000)}1${']'.repeat(200_000)}`;
  expect(storedPath(['b'])(`["a",${deep},"b",2]`)).toEqual({ kind: 'value', value: { type: 'integer', data: 2 } });
  expect(() => storedPath(['b'])(`["a",${deep.slice(0, -1)},"b",2]`)).toThrow('damaged structure');
});

test.each(['', '{}', '1', 'null', '["a"]', '["a" ,1]', '[1,2]', '["b'])('%j is damaged', (text) => {
  expect(() => storedPath(['a'])(text)).toThrow('damaged structure');
});
