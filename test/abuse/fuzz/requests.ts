/** Grammar of commands: valid HTTP requests with parameters that fit, nearly fit, or do not fit at all. */
import { COMMANDS } from '../../../src/commands/registry.ts';
import type { Random } from '../../simulation/random.ts';
import { oneIn, several } from './mutations.ts';
import { generateStatement } from './sql-grammar.ts';
import { generateTyped } from './typed-values.ts';

/** Commands after which every other command is rejected: the fuzzer would test one error. */
const ENDING = new Set(['deactivate', 'inactive', 'setstate']);
const NAMES = COMMANDS.map(({ name }) => name).filter((name) => !ENDING.has(name)) as [string, ...string[]];
/** Commands whose responses end only on request. */
const ENDLESS = new Set(COMMANDS.filter(({ batch }) => batch === 'returnsChanges').map(({ name }) => name));
const CACHES = ['fuzz', 'fuzz', 'victims', 'SQL_PUBLIC_T', 'nope', '', 'a'.repeat(300), '\0', 'SYS'] as const;
const NUMBERS = [
  '0',
  '1',
  '-1',
  '2',
  '1000',
  '2147483648',
  '9223372036854775808',
  '1e3',
  '',
  'x',
  '0.5',
  ' 1',
] as const;
const WORDS = [
  'true',
  'false',
  '',
  'PARTITIONED',
  'FULL_SYNC',
  'default',
  '*',
  'Person',
  '../../etc/passwd',
  'null',
] as const;
const PARAMETERS = [
  'exp',
  'pageSize',
  'qryId',
  'cacheFlags',
  'backups',
  'templateName',
  'cacheGroup',
  'writeSynchronizationMode',
  'dataRegion',
  'destId',
  'delta',
  'init',
  'user',
  'password',
  'name',
  'id',
  'mtr',
  'attr',
  'caches',
  'ip',
  'path',
  'from',
  'to',
  'type',
  'className',
  'async',
  'timeout',
  'maxRows',
  'statistics',
  'sessionToken',
  'state',
  'force',
  'keepBinary',
  'p1',
  'p2',
  'httpStatus',
] as const;

/** A request as bytes; it keeps the connection. */
export function generateRequest(random: Random): Buffer {
  const params = parameters(random);
  const text = new URLSearchParams(params).toString();
  const fits = text.length < 8_000;
  switch (random.below(fits ? 4 : 2)) {
    case 0:
      return post('application/x-www-form-urlencoded', Buffer.from(text));
    case 1:
      return post('application/json', Buffer.from(JSON.stringify(Object.fromEntries(params))));
    default:
      return Buffer.from(`GET /svc?${text} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  }
}

function post(type: string, body: Buffer): Buffer {
  const head = `POST /svc HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
}

function parameters(random: Random): Array<[string, string]> {
  const cmd = oneIn(random, 50) ? random.pick(WORDS) : random.pick(NAMES);
  const params: Array<[string, string]> = [['cmd', cmd]];
  if (ENDLESS.has(cmd)) params.push(['follow', 'false']);
  if (cmd.startsWith('qry') && !oneIn(random, 4)) return [...params, ...query(random)];
  if (!oneIn(random, 8)) params.push(['cacheName', oneIn(random, 3) ? random.pick(CACHES) : 'fuzz']);
  const key = generateTyped(random);
  const value = generateTyped(random);
  if (!oneIn(random, 8)) params.push(['key', oneIn(random, 2) ? random.pick(['a', 'b', '1']) : key.text]);
  if (oneIn(random, 2)) params.push(['keyType', key.type]);
  if (!oneIn(random, 3)) params.push(['val', value.text], ['valueType', value.type]);
  if (oneIn(random, 3)) params.push(['val2', value.text]);
  if (oneIn(random, 3)) params.push(['k1', key.text], ['k2', 'b'], ['v1', value.text], ['v2', 'x']);
  for (const name of several(random, 0, 3, () => random.pick(PARAMETERS))) {
    params.push([name, random.pick([random.pick(NUMBERS), random.pick(WORDS), value.text])]);
  }
  return params;
}

function query(random: Random): Array<[string, string]> {
  const argument = generateTyped(random);
  const params: Array<[string, string]> = [
    ['pageSize', oneIn(random, 8) ? random.pick(NUMBERS) : '10'],
    ['qry', generateStatement(random)],
    ['timeout', '200'],
    ['arg1', argument.text],
  ];
  if (oneIn(random, 2)) params.push(['arg1Type', argument.type]);
  if (oneIn(random, 4)) params.push(['arg2', '1']);
  if (oneIn(random, 4)) params.push(['type', 'T'], ['className', argument.text], ['qryId', '1']);
  return params;
}
