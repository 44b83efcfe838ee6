import { expect, test } from 'bun:test';
import { COMMANDS } from '../commands/registry.ts';
import { OPTION_ROWS } from '../configuration/options.ts';
import { commandHelp, commandOverview, helpText } from './help.ts';

test('the help of a command has its parameters, response, errors and example', () => {
  expect(commandHelp('GetAll', 'grid')).toBe(
    `getall: Returns the values of several keys.

Parameters:
  cacheName (string; default the default cache)
      Name of the cache.
  k1, k2 ... (by keyType; required)
      Keys, numbered from 1 without gaps.
  destId (string)
      Id of the node to run the command on; ignored if it is not an id.
  cacheFlags (whole number, 32 bits; default 2)
      Bit mask, accepted for Ignite clients; has no effect.
  asArray (true or false; default the option rest.getallAsArray)
      Return an array of objects with key and value instead of an object.
  keyType (name of a type; default string)
      Name of the type of keys.

Of every command:
  numbers (number, string; default number)
      string returns longs, big integers and decimals as strings, so clients do not round them.
  dates (text, iso; default text)
      iso returns dates, times and timestamps in ISO 8601 format.
  errors (text, object; default the option errors)
      object returns error as an object with a code, text as a string.
  httpStatus (true or false; default the option httpStatus)
      Respond to a failed command with a matching HTTP status instead of 200.

Response: The entries that exist: an object with the keys as names, or an array of objects with key
and value.
Needs: the right read on the cache.
Errors: PARAMETER_MISSING, CONVERSION, LIMIT_EXCEEDED, NOT_AN_INTEGER, NOT_A_BOOLEAN,
CACHE_NOT_FOUND, CLUSTER_GROUP_EMPTY, INACTIVE.

Example:
  /grid?cmd=putall&k1=a&v1=1&k2=b&v2=2
  /grid?cmd=getall&k1=a&k2=b&k3=none
  -> {"a":"1","b":"2"}
`,
  );
});

test('the help of an unknown command names the nearest ones', () => {
  expect(commandHelp('gett', 'svc')).toBe('Unknown command: gett. Did you mean get?\n');
});

const longest = Math.max(...COMMANDS.map(({ name }) => name.length));

for (const { name, summary } of COMMANDS) {
  test(`${name} has help that fits a terminal and a line in the overview`, () => {
    const long = commandHelp(name, 'svc')
      .split('\n')
      .filter((line) => line.length > 100 && !line.trimStart().startsWith('/svc?'));
    expect(long).toEqual([]);
    expect(commandOverview('svc')).toContain(`  ${name.padEnd(longest)}  ${summary}\n`);
  });
}

test('the help of the program names every option with its flag, and secrets without one', () => {
  const text = helpText(OPTION_ROWS, '1.2.3');
  expect(text.startsWith('svc 1.2.3: ')).toBe(true);
  for (const { environment, flag } of OPTION_ROWS) {
    expect(text).toContain(flag === undefined ? `\n  ${environment}\n` : `\n  ${flag}, ${environment}\n`);
  }
  expect(text).toContain('SVC_ADMIN_PASSWORD_FILE names a file that holds it.');
  expect(text).not.toContain('--secret-key');
  expect(text.split('\n').filter((line) => line.length > 100)).toEqual([]);
});
