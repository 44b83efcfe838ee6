/**
 * What is read of an entry can be written back: for each type and each pair of a way to read and a way to write, the
 * value is the same, which the line of an export says. Rows of tables: test/system/resources/written-back.test.ts.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { queryOf, type ServiceProcess, startService } from '../service-process.ts';

setDefaultTimeout(60_000);

let service: ServiceProcess;
beforeAll(async () => {
  service = await startService();
  for (const cacheName of ['source', 'target']) await command({ cmd: 'getorcreate', cacheName, changeFeed: true });
}, 60_000);
afterAll(() => service[Symbol.asyncDispose]());

/** Values of each type, as requests send them in a JSON body. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  boolean: ['true', 'false'],
  byte: ['-128', '0', '127'],
  short: ['-32768', '32767'],
  int: ['-2147483648', '5', '2147483647'],
  long: ['-9223372036854775808', '5', '9007199254740993', '9223372036854775807'],
  float: ['-3.4028235E38', '-0.0', '1.4E-45', '0.1', '"NaN"', '"-Infinity"'],
  double: ['-1.7976931348623157E308', '-0.0', '4.9E-324', '0.30000000000000004', '1.0E22', '"NaN"', '"Infinity"'],
  decimal: ['-1.50', '0', '0.00', '1E+3', '123456789012345678901234567890.5', '1E-400'],
  biginteger: ['-1', '99999999999999999999'],
  string: ['""', '" "', '"null"', '"5"', '"a\\"b,c\\n"', '"é😀"', '"true"', '"[1]"'],
  'java.lang.Character': ['"a"', '"5"', '"\\""', '" "'],
  date: ['"0001-01-01"', '"1969-12-31"', '"9999-12-31"'],
  time: ['"00:00:00"', '"10:11:12.5"', '"23:59:59.999"'],
  timestamp: ['"1969-12-31 23:59:59.999999999"', '"2024-02-29 00:00:00.0"', '"0001-01-01 00:00:00.0"'],
  'java.util.Date': ['-1', '1517994300001', '-62135596800001', '253402300800000'],
  uuid: ['"00000000-0000-0000-0000-000000000001"', '"fedcba98-7654-3210-fedc-ba9876543210"'],
  SvcUuid: ['"1-123e4567-e89b-12d3-a456-426614174000"'],
  '[B': ['"AQI="', '"true"', '"1234"', '"++//"'],
  list: ['[]', '[1,"1",null,true,[{"a":1.5}]]', '[0.12345678901234567890]'],
  set: ['[3,1,2]'],
  'java.util.TreeSet': ['["b","a"]'],
  map: ['{}', '{"b":1,"a":{"c":null}}'],
  'java.util.TreeMap': ['{"b":1,"a":2}'],
  '[I': ['[]', '[1,-2]'],
  '[J': ['[9007199254740993]'],
  '[D': ['[0.1,-0.0]'],
  '[C': ['"ab"', '"5"', '"true"'],
  '[Ljava.lang.Integer;': ['[1,null]'],
  '[Ljava.lang.Object;': ['[1,"a",null]'],
  Own: ['{}', '{"a":1,"b":"x","c":null,"d":[1],"e":{"f":1.5}}'],
};

type Parameters = Readonly<Record<string, unknown>>;

/** JSON that is part of a body as it is. */
class Raw {
  readonly json: string;

  constructor(json: string) {
    this.json = json;
  }
}

const raw = (json: string): Raw => new Raw(json);

function write(value: unknown): string {
  if (value instanceof Raw) return value.json;
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, member]) => `${JSON.stringify(name)}:${write(member)}`)
    .join(',')}}`;
}

async function send(body: Parameters, notation = 'dates=iso'): Promise<string> {
  const headers = { 'content-type': 'application/json', prefer: `compatibility=contract, ${notation}` };
  return (await fetch(service.url, { method: 'POST', headers, body: write(body) })).text();
}

/** Returns the source of the member `response`. Throws for an error. */
async function command(body: Parameters, notation?: string): Promise<string> {
  const text = await send(body, notation);
  const envelope = JSON.parse(text) as { readonly error: string | null };
  if (envelope.error !== null) throw new Error(`${write(body)}: ${envelope.error}`);
  return text.slice(text.indexOf('"response":') + '"response":'.length, -1);
}

async function exported(cacheName: string, format: string): Promise<string> {
  return (await fetch(`${service.url}?${queryOf({ cmd: 'export', cacheName, format })}`)).text();
}

async function imported(cacheName: string, format: string, body: string): Promise<void> {
  const type = format === 'csv' ? 'text/csv' : 'application/x-ndjson';
  const init = { method: 'POST', headers: { 'content-type': type }, body };
  expect((await service.send(queryOf({ cmd: 'import', cacheName, format }), init)).error).toBeNull();
}

interface ChangeEvent {
  readonly event: string;
  readonly operation?: string;
  readonly keyType?: string;
  readonly valueType?: string;
}

/** Returns the source of a member of a line, whose members have no line breaks. */
function memberOf(line: string, name: string, next: readonly string[]): string {
  const start = line.indexOf(`"${name}":`) + name.length + 3;
  const ends = next.map((each) => line.indexOf(`,"${each}":`, start)).filter((at) => at >= 0);
  return line.slice(start, Math.min(line.length - 1, ...ends));
}

/** The type of a value without one: what its JSON says. */
function typeOfJson(json: string): string {
  if (json.startsWith('"')) return 'string';
  if (/^(?:true|false)$/.test(json)) return 'boolean';
  return /[.eE]/.test(json) ? 'double' : 'int';
}

/** The last change of the source, sent to the target. */
async function replay(): Promise<void> {
  const query = queryOf({ cmd: 'watch', cacheName: 'source', from: 'start', follow: 'false', operation: 'created' });
  const lines = (await (await fetch(`${service.url}?${query}`)).text()).trimEnd().split('\n');
  const line = lines.findLast((each) => (JSON.parse(each) as ChangeEvent).event === 'change') ?? '';
  const { keyType, valueType } = JSON.parse(line) as ChangeEvent;
  const key = memberOf(line, 'key', ['keyType', 'value']);
  const val = memberOf(line, 'value', ['valueType']);
  const types = { keyType: keyType ?? typeOfJson(key), valueType: valueType ?? typeOfJson(val) };
  await command({ cmd: 'put', cacheName: 'target', key: raw(key), val: raw(val), ...types });
}

const WAYS: Readonly<Record<string, (type: string) => Promise<unknown>>> = {
  'get, put': async (valueType) => {
    const val = raw(await command({ cmd: 'get', cacheName: 'source', key: 'k' }));
    await command({ cmd: 'put', cacheName: 'target', key: 'k', val, valueType });
  },
  'get, put with numbers as strings': async (valueType) => {
    const val = raw(await command({ cmd: 'get', cacheName: 'source', key: 'k' }, 'dates=iso, numbers=string'));
    await command({ cmd: 'put', cacheName: 'target', key: 'k', val, valueType });
  },
  'getall, putall in a batch': async (valueType) => {
    const all = await command({ cmd: 'getall', cacheName: 'source', keys: ['k'] });
    const values = [raw(all.slice('{"k":'.length, -1))];
    const commands = [{ cmd: 'putall', cacheName: 'target', keys: ['k'], values, valueType }];
    expect(await command({ cmd: 'batch', commands, atomic: true })).toContain('"response":true');
  },
  'get, cas': async (valueType) => {
    const val2 = raw(await command({ cmd: 'get', cacheName: 'source', key: 'k' }));
    const same = { cmd: 'cas', cacheName: 'source', key: 'k', val: val2, val2, valueType };
    expect(await command({ ...same, cmd: 'dryrun', of: 'cas' })).toContain('"response":true');
    expect(await command(same)).toBe('true');
    await imported('target', 'ndjson', await exported('source', 'ndjson'));
  },
  'export, import as ndjson': async () => imported('target', 'ndjson', await exported('source', 'ndjson')),
  'export, import as csv': async () => imported('target', 'csv', await exported('source', 'csv')),
  'watch, put': async () => replay(),
};

/** Pairs without the law, with the reason. */
const EXCEPTIONS: ReadonlyArray<readonly [type: string, json: string, way: string, reason: string]> = [
  [
    'list',
    '[0.12345678901234567890]',
    'get, put with numbers as strings',
    'a string in a list has no type that says that it was a number',
  ],
];

function isException(type: string, json: string, way: string): boolean {
  return EXCEPTIONS.some((each) => each[0] === type && each[1] === json && each[2] === way);
}

for (const [type, values] of Object.entries(VALUES)) {
  describe(type, () => {
    test.each(values)('%s', async (json) => {
      for (const [way, run] of Object.entries(WAYS)) {
        for (const cacheName of ['source', 'target']) await command({ cmd: 'clear', cacheName });
        await command({ cmd: 'put', cacheName: 'source', key: 'k', val: raw(json), valueType: type });
        await run(type);
        if (isException(type, json, way)) {
          expect(await exported('target', 'ndjson')).not.toBe(await exported('source', 'ndjson'));
          continue;
        }
        expect([way, await exported('target', 'ndjson')]).toEqual([way, await exported('source', 'ndjson')]);
      }
    });
  });
}
