import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { EMBEDDED_BOUNDS } from '../../../base/limits.ts';
import { FunctionRegister, type NativeAggregate, type NativeScalar, nativeName } from './native-function.ts';

/** A function of which users can create any number, like a conversion to a type. It returns its number. */
function scalar(number: number, arity = 1): NativeScalar {
  return {
    kind: 'scalar',
    name: `svc test ${arity} ${number}`,
    arity,
    deterministic: true,
    numbered: 'statement',
    create: () => () => number,
  };
}

function open(): { readonly database: Database; readonly register: FunctionRegister } {
  const database = new Database(':memory:', { strict: true });
  const register = new FunctionRegister(database, {
    environment: { nowMs: 0, user: '', schema: '', random: () => 0, seed: () => {} },
    poll: () => {},
    replacedRows: 0,
    duplicates: undefined,
  });
  return { database, register };
}

test('a large argument is reported before the function runs', () => {
  const { database, register } = open();
  const log: string[] = [];
  register.context.beginLarge = () => void log.push('large');
  const native: NativeScalar = { ...scalar(1), create: () => () => log.push('run') };
  register.ensure([native]);
  const run = (argument: string): readonly string[] => {
    log.length = 0;
    database.prepare<unknown, []>(`SELECT ${nativeName(native)}(${argument})`).get();
    return [...log];
  };
  expect(run("printf('%.2000000c', 'a')")).toEqual(['large', 'run']);
  expect(run("printf('%.1000000c', 'a')")).toEqual(['run']);
});

describe('functions of statements', () => {
  test('are at most so many in a connection, and each statement calls its own', () => {
    const { database, register } = open();
    const kept = [scalar(-1)];
    const text = `SELECT ${nativeName(scalar(-1))}(0) AS n`;
    const keptText = `SELECT ${kept.map((each) => `${nativeName(each)}(0)`).join()} AS n`;
    expect(keptText).toBe(text);
    register.ensure(kept);
    const statement = database.prepare<{ n: number }, []>(keptText);
    const count = EMBEDDED_BOUNDS.sqlFunctions + 500;
    for (let number = 0; number < count; number++) {
      const functions = [scalar(number)];
      register.ensure(functions);
      if (number % 100 !== 0) continue;
      const sql = `SELECT ${functions.map((each) => `${nativeName(each)}(0)`).join()} AS n`;
      using own = database.prepare<{ n: number }, []>(sql);
      expect(own.get()).toEqual({ n: number });
      // Its number may have passed to another function meanwhile.
      register.ensure(kept);
      expect(statement.get()).toEqual({ n: -1 });
    }
    const { known } = database
      .query<{ known: number }, []>("SELECT count(*) AS known FROM pragma_function_list WHERE name LIKE 'svc %'")
      .get() ?? { known: 0 };
    expect(known).toBeGreaterThan(EMBEDDED_BOUNDS.sqlFunctions - 100);
    expect(known).toBeLessThanOrEqual(EMBEDDED_BOUNDS.sqlFunctions);
  });

  test('with one number are told apart by their numbers of arguments, and from aggregates', () => {
    const { database, register } = open();
    const name = 'svc test of one name';
    const one: NativeScalar = { ...scalar(1), name };
    const two: NativeScalar = { ...scalar(2, 2), name };
    const fold: NativeAggregate = {
      kind: 'aggregate',
      name,
      arity: 1,
      numbered: 'statement',
      start: () => ({ step: () => {}, finish: () => 3 }),
    };
    for (const functions of [[one], [two], [fold], [two], [one]]) register.ensure(functions);
    const names = new Set([one, two, fold].map(nativeName));
    expect(names.size).toBe(3);
    const sql = `SELECT ${nativeName(one)}(0) AS a, ${nativeName(two)}(0, 0) AS b, ${nativeName(fold)}(0) AS c`;
    expect(database.query(sql).get()).toEqual({ a: 1, b: 2, c: 3 });
  });
});

test('an aggregate of an ended statement builds no result', () => {
  const { database, register } = open();
  let steps = 0;
  let results = 0;
  const aggregate: NativeAggregate = {
    kind: 'aggregate',
    name: 'svc test of an end',
    arity: 1,
    start: () => ({
      step: () => {
        steps++;
      },
      finish: () => {
        results++;
        return steps;
      },
    }),
  };
  register.ensure([aggregate]);
  using statement = database.prepare<{ n: number }, []>(
    `SELECT ${nativeName(aggregate)}(value) AS n FROM json_each('[1,2,3]')`,
  );
  expect(statement.get()).toEqual({ n: 3 });
  register.context.poll = () => {
    throw new Error('ended');
  };
  expect(() => statement.get()).toThrow('ended');
  expect([steps, results]).toEqual([6, 1]);
});
