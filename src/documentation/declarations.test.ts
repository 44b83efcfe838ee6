/** The declarations as the descriptions need them: examples that can be sent, complete lists of rejections. */
import { describe, expect, test } from 'bun:test';
import { ERRORS, type ErrorCode } from '../base/errors.ts';
import type { Example, RegisteredCommand } from '../commands/command.ts';
import { declaredErrors } from '../commands/implied-errors.ts';
import { COMMANDS, findCommand } from '../commands/registry.ts';
import { resolveType } from '../values/type-names.ts';
import { GROUPS, wireParameters, withServiceName } from './command-guide.ts';
import { describedErrors, errorsOf, SHARED_ERRORS } from './error-guide.ts';
import { describedClasses, describedTypes } from './type-guide.ts';

/** Reports whether the command accepts a parameter of that name. */
function accepts(command: RegisteredCommand, name: string): boolean {
  return wireParameters(command, 'svc').some((parameter) => {
    if (!parameter.numbered) return parameter.name === name;
    const number = name.startsWith(parameter.name) ? name.slice(parameter.name.length) : '';
    return /^[1-9]\d*(Type)?$/.test(number);
  });
}

/** The query strings of all requests of an example. */
function queriesOf({ before = [], query }: Example): string[] {
  return [...before.map((each) => (typeof each === 'string' ? each : each.query)), query];
}

describe('examples', () => {
  for (const { name, example } of COMMANDS) {
    test(`the example of ${name} calls it, and its requests use declared commands and parameters`, () => {
      expect(example.query.startsWith(`cmd=${name}`)).toBe(true);
      for (const query of queriesOf(example)) {
        const params = new URLSearchParams(query);
        const command = findCommand(params.get('cmd') ?? '');
        expect(command).toBeDefined();
        if (command === undefined) continue;
        const accepted = [command, findCommand(params.get('of') ?? '')].filter((each) => each !== undefined);
        const unknown = [...params.keys()].filter(
          (each) => each !== 'cmd' && !accepted.some((other) => accepts(other, each)),
        );
        expect(unknown).toEqual([]);
        const needed = wireParameters(command, 'svc').filter(({ required }) => required);
        for (const each of needed) expect(params.has(each.numbered ? `${each.name}1` : each.name)).toBe(true);
      }
    });

    test(`the example of ${name} is an encoded query string`, () => {
      for (const query of queriesOf(example)) {
        expect(query).not.toMatch(/[\s#"<>]/);
        expect(() => decodeURIComponent(query)).not.toThrow();
      }
    });
  }
});

describe('errors', () => {
  for (const command of COMMANDS) {
    test(`${command.name} declares no errors that follow from its other members`, () => {
      const implied = declaredErrors({ ...command, errors: [] });
      expect(command.errors.filter((code) => implied.includes(code))).toEqual([]);
    });
  }

  test('every declared error can occur in some request', () => {
    const met = new Set<ErrorCode>([...COMMANDS.flatMap(errorsOf), ...Object.values(SHARED_ERRORS).flat()]);
    expect(describedErrors().filter(({ code }) => !met.has(code))).toEqual([]);
  });

  test('error texts read well without their details', () => {
    expect(describedErrors().map(({ code }) => String(code))).toEqual(Object.keys(ERRORS));
    for (const { text, remedy } of describedErrors()) {
      expect(text).not.toMatch(/undefined|\[object|function|NaN/);
      expect(remedy).toMatch(/\.$/);
    }
  });
});

describe('descriptions', () => {
  test('every group of commands has a title', () => {
    expect([...new Set(COMMANDS.map(({ group }) => String(group)))].sort()).toEqual(Object.keys(GROUPS).sort());
  });

  for (const { name, aliases } of describedTypes('grid')) {
    test(`the aliases of ${name} resolve to the same type`, () => {
      for (const alias of aliases) expect(resolveType(alias, 'grid')).toEqual(resolveType(name, 'grid'));
    });
  }

  test('examples of types are what the service returns', () => {
    const shown = [...describedTypes('svc'), ...describedClasses('svc')].map(({ name, example }) => [
      name,
      example.json,
    ]);
    expect(shown).toContainEqual(['long', '9007199254740993']);
    expect(shown).toContainEqual(['double', '1.0E10']);
    expect(shown).toContainEqual(['date', '"2018-02-07"']);
    expect(shown).toContainEqual(['java.math.BigDecimal', '1.50']);
  });

  test.each<[text: string, words: string]>([
    ['Logs in with svc.login and svc.password.', 'Logs in with grid.login and grid.password.'],
    ['cmd=authenticate&svc.login=ann', 'cmd=authenticate&grid.login=ann'],
    ['cmd=exe&name=svc.echo', 'cmd=exe&name=svc.echo'],
    ['the address `/svc`', 'the address `/grid`'],
    ['/svc?cmd=get', '/grid?cmd=get'],
  ])('%s, for a service named grid', (text, words) => {
    expect(withServiceName('grid', text)).toBe(words);
    expect(withServiceName('svc', text)).toBe(text);
  });
});
