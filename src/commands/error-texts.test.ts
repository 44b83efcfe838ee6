/** The texts of errors in parameters: they name the parameter that the client sends, and nothing internal. */
import { describe, expect, test } from 'bun:test';
import { queryCalls } from '../../test/fixtures/commands/query-calls.ts';
import { commandCases, compatibilityCases, failsWith, openTestService } from '../../test/test-service.ts';
import { SCALAR_TRAITS } from '../values/scalar-traits.ts';
import type { RegisteredCommand } from './command.ts';
import { COMMANDS } from './registry.ts';

/** Terms that only a developer of Ignite or of this service understands. */
const INTERNAL =
  /java\.|javax\.|org\.apache|Exception|Cannot read value|radix|\[[A-Z]{2}|undefined|\bnull\b(?! values)/;

/** A valid value of each required parameter. */
const VALID: Readonly<Record<string, string>> = {
  cacheName: 'default',
  state: 'ACTIVE',
  action: 'status',
  id: '3f0c1c9e-6c55-4a0e-8a8e-0d3f7a4b2c11',
  exp: '100',
  delta: '1',
  pageSize: '1',
  qryId: '1',
  name: 'length',
};
const INVALID = ['x', '', '1.5', '99999999999999999999', ' 1', 'true1', '-'];

const wireName = ({ name, numbered }: { readonly name: string; readonly numbered: boolean }) =>
  numbered ? `${name}1` : name;

/** Returns a request for the command with every needed parameter but `without`. */
function requestOf(command: RegisteredCommand, without: string): string {
  const needed = Object.values(command.params).filter(
    (each) => (each.required || each.checkedByHandler) && each.name !== without,
  );
  return [command.name, ...needed.map((each) => `${wireName(each)}=${VALID[each.name] ?? '1'}`)].join(' ');
}

const send = (request: string) => openTestService({ queries: queryCalls() }).send(request);

describe('an absent parameter is named', () => {
  for (const command of COMMANDS) {
    for (const parameter of Object.values(command.params)) {
      if (!(parameter.required || parameter.checkedByHandler) || parameter.defaultText !== undefined) continue;
      // An absent name of a user is an empty one, as in Ignite.
      if (command.name === 'adduser' && parameter.name === 'user') continue;
      const name = wireName(parameter);
      test(`${command.name} without ${name}`, async () => {
        const { error } = await send(requestOf(command, parameter.name));
        if (command.name === 'putall') {
          expect(error).toMatch(/null values are not allowed|greater or equals to number of values/);
        } else {
          expect(error?.toLowerCase()).toMatch(new RegExp(`\\b${name.toLowerCase()}\\b`));
        }
      });
    }
  }
});

describe('an invalid parameter is named, and nothing internal', () => {
  for (const command of COMMANDS) {
    for (const parameter of Object.values(command.params)) {
      if (parameter.kind === 'string') continue;
      const name = wireName(parameter);
      test(`${command.name} with an invalid ${name}`, async () => {
        let failures = 0;
        for (const invalid of INVALID) {
          const type = parameter.kind === 'value' ? ` ${parameter.typedBy ?? `${name}Type`}=int` : '';
          const rest = requestOf(command, parameter.name);
          const { error } = await send(`${rest} ${name}=${encodeURIComponent(invalid)}${type}`);
          if (error === null) continue;
          failures++;
          const known = parameter.kind === 'value' ? `parameter=${name}]` : name;
          expect([invalid, error]).toEqual([invalid, expect.stringContaining(known)]);
          expect(error).not.toMatch(INTERNAL);
        }
        expect(failures).toBeGreaterThan(0);
      });
    }
  }
});

describe('compatibility mode reference has the texts of Ignite, without what the contract adds', () => {
  /** The suffix that names the client's parameter, after a text that names another parameter or none. */
  const ADDED = new RegExp(
    String.raw` \((?:send \w+|\w+ must be a (?:whole number|UUID)|\w+ is a number of \w+|` +
      String.raw`id must be one that \w+ returned)\)` +
      String.raw`| \[(\w+)=[^\]]*\](?=$|\])`,
    'g',
  );
  const plain = (text: string | null) => text?.replaceAll(ADDED, '').replace('null: oldVal', 'null: val2');
  const both = (request: string) =>
    Promise.all(
      (['contract', 'reference'] as const).map(async (compatibility) => {
        const service = openTestService({ compatibility, queries: queryCalls() });
        return (await service.send(`${request}${request.includes('cacheName=') ? '' : ' cacheName=default'}`)).error;
      }),
    );

  for (const command of COMMANDS) {
    for (const parameter of Object.values(command.params)) {
      if (parameter.name === 'cacheName' || parameter.kind === 'boolean' || parameter.kind === 'value') continue;
      const name = wireName(parameter);
      test(`${command.name} without ${name}, and with an invalid one`, async () => {
        const rest = requestOf(command, parameter.name);
        const requests = [rest, ...INVALID.map((invalid) => `${rest} ${name}=${encodeURIComponent(invalid)}`)];
        for (const request of parameter.kind === 'string' ? [rest] : requests) {
          const [contract = null, reference = null] = await both(request);
          if (contract === null || reference === null) continue;
          expect([request, reference]).not.toEqual([
            request,
            expect.stringMatching(/\(send |must be a whole number|must be a UUID/),
          ]);
          if (plain(contract) !== plain(reference))
            expect([request, plain(contract)]).toEqual([request, plain(reference)]);
        }
      });
    }
  }
});

describe('a value that is invalid for its type', () => {
  const TYPES = Object.values(SCALAR_TRAITS).flatMap(({ names }) => names);
  const JAVA = [
    'java.util.HashMap',
    'java.util.ArrayList',
    'java.math.BigDecimal',
    'java.util.Date',
    '[B',
    '[I',
    'Custom',
  ];
  const TEXTS = [
    '',
    'zz',
    '[1',
    '{"a":1',
    '99999999999999999999999',
    '2018-13-01',
    '1:2',
    '{}x',
    '"x"',
    'true',
    '[{}]',
  ];

  test.each([...TYPES, ...JAVA])('%s: the text has no name of a Java class but the one that was sent', async (type) => {
    for (const value of TEXTS) {
      for (const command of ['put key=a val=', 'cas key=a val=1 val2=', 'putall k1=a v1=']) {
        const { error } = await send(`${command}${encodeURIComponent(value)} valueType=${encodeURIComponent(type)}`);
        if (error === null || !error.includes('Failed to convert')) continue;
        expect(error.replaceAll(type, '')).not.toMatch(INTERNAL);
        expect(error).toMatch(/parameter=(?:val|val2|v1)\]$/);
      }
    }
  });

  test.each([
    ['put key=x keyType=int val=1', '[type=int, val=x, reason=not a whole number, parameter=key]'],
    ['put key=300 keyType=byte val=1', '[type=byte, val=300, reason=not between -128 and 127, parameter=key]'],
    ['put key=a val=1,5 valueType=double', '[type=double, val=1,5, reason=not a number, parameter=val]'],
    ['cas key=1 val=1 val2=x valueType=long', 'val=x, reason=not a whole number, parameter=val2]'],
    ['getall k1=1 k2=x keyType=int', 'parameter=k2]'],
    ['put key=a val=2018-02-30 valueType=date', 'reason=there is no such day, parameter=val]'],
    ['put key=a val=[1] valueType=java.util.HashMap', 'reason=a JSON array is no map, parameter=val]'],
    ['qryfldexe pageSize=1 qry=S arg1=1 arg2=x arg2Type=int', 'parameter=arg2]'],
  ])('%s', async (request, text) => {
    expect((await send(request)).error).toContain(text);
  });
});

describe('the name of a type that nobody declared', () => {
  test.each([
    ['itn', 'int'],
    ['Integr', 'integer'],
    ['bool', 'boolean'],
    ['str', 'string'],
    ['doubel', 'double'],
    ['timstamp', 'timestamp'],
    ['SvcUid', 'SvcUuid'],
    ['java.lang.Intger', 'java.lang.Integer'],
    ['java.util.Hashmap', 'java.util.HashMap'],
  ])('%s: the text says which one was probably meant, %s', async (given, meant) => {
    const { error } = await send(`put key=a val=5 valueType=${given}`);
    expect(error).toContain(`there is no type "${given}", did you mean "${meant}"?`);
  });

  test('is a custom type for a JSON object', async () => {
    expect((await send('put key=a val={"a":1} valueType=itn')).response).toBe(true);
  });

  test('like no other: the text says that its values are JSON objects', async () => {
    expect((await send('put key=a val=5x valueType=Colour')).error).toContain(
      '"Colour" is not a built-in type, so the value must be a JSON object: invalid JSON',
    );
  });
});

describe('flags', () => {
  for (const command of COMMANDS) {
    for (const { kind, name } of Object.values(command.params)) {
      if (kind !== 'boolean') continue;
      test(`${command.name} accepts true and false for ${name}, in any letter case, and nothing else`, async () => {
        for (const text of ['true', 'false', 'TRUE', 'False']) {
          expect((await send(`${requestOf(command, '')} ${name}=${text}`)).error ?? '').not.toContain('Boolean type');
        }
        for (const text of ['1', '0', 'yes', 'on', '', '%20true', 'truee']) {
          const { error } = await send(`${requestOf(command, '')} ${name}=${text}`);
          expect(error).toBe(`Failed to parse parameter of Boolean type [${name}=${decodeURIComponent(text)}]`);
        }
      });
    }
  }
});

commandCases('httpStatus', [
  ['is true or false', ['state httpStatus=true', 'ACTIVE'], ['state httpStatus=False', 'ACTIVE']],
  ['is nothing else', ['state httpStatus=1', failsWith('Failed to parse parameter of Boolean type [httpStatus=1]')]],
]);

compatibilityCases('parameters', [
  [
    'count any text but true as false',
    ['state httpStatus=1', 'ACTIVE'],
    ['setstate state=ACTIVE force=x', 'setstate done'],
  ],
  [
    'are reported with the texts of Ignite',
    ['getorcreate cacheName=c', null],
    ['getall cacheName=c', failsWith('err=Failed to find mandatory parameter in request: keys]')],
    ['repval cacheName=c key=a val=1', failsWith('err=Ouch! Argument cannot be null: oldVal]')],
    ['put cacheName=c key=n val=5 valueType=int', true],
    ['append cacheName=c key=n val=a', failsWith('Incompatible types [appendVal=a,type=String, oldType=Integer]')],
    ['setstate', failsWith("State can't be null.")],
    [
      'put cacheName=c key=x keyType=int val=1',
      failsWith('[type=int, val=x, reason=java.lang.NumberFormatException: For input string: "x"]'),
    ],
    [
      'put cacheName=c key=a val=[1] valueType=java.util.HashMap',
      failsWith('IllegalArgumentException: Cannot read value of type `java.util.Map` from Array value]'),
    ],
  ],
]);
