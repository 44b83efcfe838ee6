/** Reading CSV and NDJSON: fields, errors by line, and positions, however the bytes are cut. */
import { describe, expect, test } from 'bun:test';
import { CsvReader } from './csv-reader.ts';
import { NdjsonReader } from './ndjson-reader.ts';
import type { RecordReader, SourceField, SourceRecord, TargetColumns } from './records.ts';

const NAMES = ['A', 'B', 'C'];
const COLUMNS: TargetColumns = { names: NAMES, indexOf: (name) => NAMES.indexOf(name.toUpperCase()) };
const START = { offset: 0, line: 0 };

interface CsvCase {
  readonly header?: readonly string[] | undefined;
  readonly delimiter?: string;
  readonly nullText?: string;
  readonly recordBytes?: number;
  readonly start?: typeof START;
  readonly kinds?: TargetColumns['kinds'];
}

const csv = ({
  header = NAMES,
  delimiter = ',',
  nullText = '',
  recordBytes = 1_000,
  start = START,
  kinds,
}: CsvCase = {}) =>
  new CsvReader({
    columns: { ...COLUMNS, ...(kinds !== undefined && { kinds }) },
    start,
    recordBytes,
    delimiter,
    nullText,
    header: header.length === 0 ? undefined : header,
    onHeader: () => {},
  });
const ndjson = (recordBytes = 1_000, start = START) => new NdjsonReader({ columns: COLUMNS, start, recordBytes });

/** Reads a source in parts that end at the given bytes. */
function read(reader: RecordReader, bytes: Uint8Array, ...cuts: readonly number[]): SourceRecord[] {
  const records: SourceRecord[] = [];
  let from = 0;
  for (const cut of [...cuts, bytes.length]) {
    records.push(...reader.feed(new Uint8Array(bytes.subarray(from, cut))));
    from = cut;
  }
  return [...records, ...reader.end()];
}

/** A field as the tables below write it. */
function shown(field: SourceField): string {
  if (field === undefined) return '-';
  if (field === null) return 'NULL';
  if (typeof field === 'string') return field;
  return field.kind === 'number' ? `#${field.text}` : field.kind === 'string' ? `'${field.value}'` : field.kind;
}

const summary = ({ line, endOffset, fields, error }: SourceRecord) =>
  `${line}@${endOffset} ${error === undefined ? fields?.map(shown).join('|') : `! ${error}`}`;

/** Checks that the result does not depend on how the bytes are cut. */
function expectRecords(create: () => RecordReader, source: string | Uint8Array, expected: readonly string[]): void {
  const bytes = Buffer.from(source as string);
  expect(read(create(), bytes).map(summary)).toEqual([...expected]);
  for (let cut = 1; cut < bytes.length; cut++) {
    expect(read(create(), bytes, cut).map(summary)).toEqual([...expected]);
  }
  const bytewise = Array.from({ length: bytes.length - 1 }, (_, at) => at + 1);
  expect(read(create(), bytes, ...bytewise).map(summary)).toEqual([...expected]);
}

describe('CSV', () => {
  const CASES: ReadonlyArray<readonly [title: string, source: string | Uint8Array, expected: string[], CsvCase?]> = [
    ['nothing', '', []],
    ['one record', '1,2,3\n', ['1@6 1|2|3']],
    ['no line end', '1,2,3', ['1@5 1|2|3']],
    ['CRLF', '1,2,3\r\n4,5,6\r\n', ['1@7 1|2|3', '2@14 4|5|6']],
    ['CRLF and LF', '1,2,3\r\n4,5,6\n', ['1@7 1|2|3', '2@13 4|5|6']],
    ['CRCRLF', '1,2,3\r\r\n4,5,6\r\r\n', ['1@8 1|2|3', '2@16 4|5|6']],
    ['CRCRLF, CRLF and LF', '1,2,3\r\r\n4,5,6\r\n7,8,9\n', ['1@8 1|2|3', '2@15 4|5|6', '3@21 7|8|9']],
    [
      'CRCRLF after quotes, empty fields and empty lines',
      '1,"2","3"\r\r\n\r\r\n4,,""\r\r\n',
      ['1@12 1|2|3', '3@23 4|NULL|'],
    ],
    ['CRCRLF after NULL', '1,2,\r\r\n', ['1@7 1|2|NULL']],
    ['a header before CRCRLF', 'c,a\r\r\n3,1\r\r\n', ['2@12 1|-|3'], { header: [] }],
    [
      'a wrong quote before CRCRLF',
      '1,"2"x,3\r\r\n\r\r\n4,5,6\r\r\n',
      ['1@11 ! a quoted field goes on after its closing quote (write " as "")', '3@22 4|5|6'],
    ],
    ['NULL and the empty string', ',"",x\n', ['1@6 NULL||x']],
    ['another text for NULL', '\\N,,"\\N"\n', ['1@9 NULL||\\N'], { nullText: '\\N' }],
    ['quotes', '"a ""b""","c,d","e\nf"\n', ['1@22 a "b"|c,d|e\nf']],
    ['a line after a field of two lines', '1,"a\nb",2\n3,4,5\n', ['1@10 1|a\nb|2', '3@16 3|4|5']],
    ['a field of several CRLF', '1,"a\r\n\r\nb",2\r\n3,4,5', ['1@14 1|a\r\n\r\nb|2', '4@19 3|4|5']],
    ['empty lines', '\n1,2,3\n\n\n4,5,6\n', ['2@7 1|2|3', '5@15 4|5|6']],
    ['blanks belong to the field', ' 1 ,2, \n', ['1@8  1 |2| ']],
    [
      'blanks alone are NULL in a column without texts',
      ' , ,\t \n',
      ['1@7  | |NULL'],
      { kinds: ['text', 'text', 'number'] },
    ],
    [
      'blanks around another text for NULL',
      'NULL , NULL, \n',
      ['1@14 NULL |NULL| '],
      { nullText: 'NULL', kinds: ['text', 'moment', 'other'] },
    ],
    ['a return inside a line', '1,a\rb,3\n', ['1@8 1|a\rb|3']],
    ['another delimiter', '1;2,5;3\n', ['1@8 1|2,5|3'], { delimiter: ';' }],
    ['tabs', '1\t2\t3\n', ['1@6 1|2|3'], { delimiter: '\t' }],
    ['characters of several bytes', 'ä,€,😀\n', ['1@12 ä|€|😀']],
    ['a byte order mark', '\ufeff1,2,3\n', ['1@9 1|2|3']],
    ['a byte order mark in quotes', '\ufeff"1",2,3\n', ['1@11 1|2|3']],
    ['part of a byte order mark', new Uint8Array([0xef, 0xbb]), ['1@2 ! 3 fields expected, 1 found']],
    ['a header', 'c,a\n3,1\n', ['2@8 1|-|3'], { header: [] }],
    ['a header behind empty lines', '\n\nc,a\n\n3,1\n', ['5@11 1|-|3'], { header: [] }],
    ['a quoted header', '"c","b"\n3,1\n', ['2@12 -|1|3'], { header: [] }],
    ['too few fields', '1,2\n3,4,5\n', ['1@4 ! 3 fields expected, 2 found', '2@10 3|4|5']],
    ['too many fields', '1,2,3,4\n', ['1@8 ! 3 fields expected, 4 found']],
    [
      'a field that is not UTF-8',
      Buffer.from('1,\xff,3\n4,5,6', 'latin1'),
      ['1@6 ! field 2 is not UTF-8', '2@11 4|5|6'],
    ],
    [
      'a resumed source',
      '4,5,6\n7,8',
      ['11@106 4|5|6', '12@109 ! 3 fields expected, 2 found'],
      { start: { offset: 100, line: 10 } },
    ],
    ['a character that replaces others', '\ufffd,2,3', ['1@7 \ufffd|2|3']],
    ['zeros', '\0,2,3\n', ['1@6 \0|2|3']],
  ];
  for (const [title, source, expected, options] of CASES) {
    test(title, () => expectRecords(() => csv(options), source, expected));
  }

  test('a quote at a wrong place', () => {
    const records = read(csv(), Buffer.from('1,2,3\n4,x"y,6\n7,8,9\n'));
    expect(records.map(({ line, fields, error }) => [line, fields?.length, error !== undefined])).toEqual([
      [1, 3, false],
      [2, undefined, true],
      [3, 3, false],
    ]);
    expect(records[1]?.error).toContain('a quote inside a field');
  });

  test('NULL and the empty string behind a record that was skipped', () => {
    const records = read(csv(), Buffer.from('x"y,"",\n"",,"a""b"\n,"",""\n'));
    expect(records.map(({ fields }) => fields)).toEqual([undefined, ['', null, 'a"b'], [null, '', '']]);
  });

  test('text behind a closing quote', () => {
    const records = read(csv(), Buffer.from('"a"b,2,3\n"x",5,6\n7,8,9\n'));
    expect(records[0]?.error).toContain('goes on after its closing quote');
    expect(records.slice(1)).toMatchObject([
      { line: 2, fields: ['x', '5', '6'] },
      { line: 3, fields: ['7', '8', '9'] },
    ]);
  });

  test('a quoted field without an end', () => {
    const records = read(csv(), Buffer.from('1,2,3\n"a,2,3\n4,5,6\n'));
    expect(records.map(({ line, error }) => [line, error])).toEqual([
      [1, undefined],
      [2, 'a quoted field has no closing quote'],
      [3, undefined],
    ]);
  });

  const INSIDE = '! a quote inside a field that does not begin with one (quote the field, and write " as "")';
  const BEHIND = '! a quoted field goes on after its closing quote (write " as "")';
  const WRONG_QUOTES: ReadonlyArray<readonly [title: string, source: string, expected: string[]]> = [
    [
      'a missing quote swallows no lines up to the next one',
      '1,"a,3\n4,5,6\n7,"8",9\n1,2,3',
      [`1@7 ${BEHIND}`, '2@13 4|5|6', '3@21 7|8|9', '4@26 1|2|3'],
    ],
    ['in consecutive lines', 'a"b,2,3\n"a"b,2,3\r\n4,5,6\n', [`1@8 ${INSIDE}`, `2@18 ${BEHIND}`, '3@24 4|5|6']],
    ['after empty lines', '1,2,3\n\n\r\nx"y,5,6\n\n7,8,9', ['1@6 1|2|3', `4@17 ${INSIDE}`, '6@23 7|8|9']],
    ['in the last line, which has no end', '1,2,3\nx"y,5,6', ['1@6 1|2|3', `2@13 ${INSIDE}`]],
    [
      'in a record of several lines, whose other lines are records of their own',
      '1,"a\nb"c,3\n4,5,6\n',
      [`1@5 ${BEHIND}`, `2@11 ${INSIDE}`, '3@17 4|5|6'],
    ],
  ];
  for (const [title, source, expected] of WRONG_QUOTES) {
    test(`a wrong quote: ${title}`, () => expectRecords(csv, source, expected));
  }

  test('a wrong quote in the header ends the import', () => {
    expect(() => read(csv({ header: [] }), Buffer.from('a"b,c\n1,2\n'))).toThrow('Line 1: a quote inside a field');
  });

  for (const line of ['1,a"b\n', '1,"a\n']) {
    test(`20 MB of ${JSON.stringify(line)} take bounded time and memory`, () => {
      const reader = csv({ recordBytes: 4_000_000 });
      const part = Buffer.from(line.repeat(Math.ceil(65_536 / line.length)));
      const { heapUsed } = process.memoryUsage();
      const begun = process.cpuUsage();
      let most = heapUsed;
      const readAll = (): void => {
        for (let bytes = 0; bytes < 20_000_000; bytes += part.length) {
          reader.feed(new Uint8Array(part));
          most = Math.max(most, process.memoryUsage().heapUsed);
        }
      };
      expect(readAll).toThrow('too many records have misplaced quotes');
      const { user, system } = process.cpuUsage(begun);
      expect((user + system) / 1_000).toBeLessThan(20_000);
      expect(most - heapUsed).toBeLessThan(300_000_000);
    }, 30_000);
  }

  const FAILURES: ReadonlyArray<readonly [title: string, source: string, error: string, CsvCase?]> = [
    ['an unknown column', 'a,x\n', 'There is no column "x". The columns are A, B, C', { header: [] }],
    ['a column without a name', 'a,\n', 'There is no column ""', { header: [] }],
    ['a column named twice', 'a,b,A\n', 'The column "A" is listed twice', { header: [] }],
    [
      'a record beyond the limit',
      `1,2,3\n1,${'x'.repeat(30)},3\n`,
      'Line 2: the record is too long [limitBytes=20]',
      { recordBytes: 20 },
    ],
    [
      'an open quote beyond the limit',
      `1,2,3\n"${'x\n'.repeat(15)}`,
      'Line 2: the record is too long [limitBytes=20]',
      { recordBytes: 20 },
    ],
    [
      'too many columns',
      ','.repeat(10_001),
      'Line 1: the record has too many fields [limit=10000]',
      { header: [], recordBytes: 1_000_000 },
    ],
    [
      'delimiters beyond the limit',
      `1,2,3\n${','.repeat(50)}`,
      'Line 2: the record is too long [limitBytes=20]',
      { recordBytes: 20 },
    ],
  ];
  for (const [title, source, error, options] of FAILURES) {
    test(`${title} ends the import`, () => {
      const bytes = Buffer.from(source);
      expect(() => read(csv(options), bytes)).toThrow(error);
      expect(() => read(csv(options), bytes, 1, Math.floor(bytes.length / 2))).toThrow(error);
    });
  }
});

test('a body that others follow ends with its last complete record', () => {
  const bodies = ['1,2,3\n4,5,6\n', '1,2,3\n4,5,6\n7', '1,2,3\r\n"4",5,"6"\r\n"7\n8', '1,2,3\n4,5,6'];
  const ends = bodies.map((body) => {
    const reader = csv();
    const records = [...reader.feed(Buffer.from(body)), ...reader.suspend()];
    return records.at(-1)?.endOffset;
  });
  expect(ends).toEqual([12, 12, 18, 6]);
});

describe('NDJSON', () => {
  const CASES: ReadonlyArray<readonly [title: string, source: string | Uint8Array, expected: string[]]> = [
    ['nothing', '', []],
    ['numbers keep their digits', '{"a":1.10,"b":12345678901234567890}\n', ['1@36 #1.10|#12345678901234567890|-']],
    ['other values', '{"a":"x","b":true,"C":null}\n', ["1@28 'x'|boolean|null"]],
    ['the exact name counts', '{"a":1,"A":2}\n{"A":2,"a":1}', ['1@14 #2|-|-', '2@27 #2|-|-']],
    ['structures', '{"a":[1,2],"b":{"x":1}}', ['1@23 array|object|-']],
    ['no line end, and CRLF', '{"a":1}\r\n{"a":2}', ['1@9 #1|-|-', '2@16 #2|-|-']],
    ['empty lines', '\n{"a":1}\n\n \n{"a":2}\n', ['2@9 #1|-|-', '5@20 #2|-|-']],
    ['a byte order mark', '\ufeff{"a":1}\n{"a":2}', ['1@11 #1|-|-', '2@18 #2|-|-']],
    ['characters of several bytes', '{"a":"ä€😀"}\n', ["1@18 'ä€😀'|-|-"]],
    ['another value than an object', '[1]\n{"a":1}', ['1@4 ! a JSON object is expected, found array', '2@11 #1|-|-']],
    ['an unknown column', '{"x":1}\n', ['1@8 ! there is no column "x"']],
    [
      'a line that is not UTF-8',
      Buffer.from('{"a":"\xff"}\n{"a":1}', 'latin1'),
      ['1@10 ! the line is not UTF-8', '2@17 #1|-|-'],
    ],
    [
      'a line that is not JSON',
      '{"a":1\n{"a":1}',
      ["1@7 ! invalid JSON: Unexpected end of the text: was expecting ',' or '}' at column 7", '2@14 #1|-|-'],
    ],
  ];
  for (const [title, source, expected] of CASES) {
    test(title, () => expectRecords(ndjson, source, expected));
  }

  test('continues the numbers of lines and bytes', () => {
    const reader = ndjson(1_000, { offset: 100, line: 10 });
    expect(read(reader, Buffer.from('{"a":1}\nx')).map(({ line, endOffset }) => [line, endOffset])).toEqual([
      [11, 108],
      [12, 109],
    ]);
  });

  test('a line beyond the limit ends the import', () => {
    const source = Buffer.from(`{"a":1}\n{"a":"${'x'.repeat(40)}"}`);
    for (let cut = 1; cut < source.length; cut++) {
      expect(() => read(ndjson(30), source, cut)).toThrow('Line 2: the record is too long [limitBytes=30]');
    }
  });
});

test('random fields come back as they were written', () => {
  const seed = Number(process.env.SVC_SEED ?? 20_272);
  let state = seed;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
  const characters = ['a', '"', ',', '\n', '\r\n', '\r', ' ', 'ü', '😀', '\0', '\\'];
  const field = (): string | null =>
    random(5) === 0 ? null : Array.from({ length: random(6) }, () => characters[random(characters.length)]).join('');
  const rows = Array.from({ length: 300 }, () => [field(), field(), field()]);
  const written = rows.map((row) =>
    row.map((each) => (each === null ? '' : `"${each.replaceAll('"', '""')}"`)).join(','),
  );
  const bytes = Buffer.from(`${written.join('\n')}\n`);
  const cuts = Array.from({ length: 50 }, () => random(bytes.length)).sort((a, b) => a - b);
  // A record of NULL alone is an empty line of one column, but these have three.
  const records = read(csv({ recordBytes: 10_000 }), bytes, ...cuts);
  expect(
    records.map(({ fields }) => fields),
    `SVC_SEED=${seed}`,
  ).toEqual(rows);
  expect(records.at(-1)?.endOffset).toBe(bytes.length);
});

describe('a first record that names no columns is answered with what it is', () => {
  const CASES: ReadonlyArray<readonly [source: string | Uint8Array, error: RegExp, CsvCase?]> = [
    ['sep=;\r\na;b\r\n', /There is no column "sep=;": only spreadsheets read this line/],
    ['sep=;\r\na;b\r\n', /There is no column "sep=": only spreadsheets/, { delimiter: ';' }],
    ['a;b\n1;2\n', /send delimiter=; if that/],
    ['a\tb\n1\t2\n', /send delimiter=tab if that/],
    ['a,b\r1,2\r', /lines end in CR alone/],
    [new Uint8Array([0xff, 0xfe, 97, 0, 10, 0]), /is UTF-16/],
    [new Uint8Array([0x1f, 0x8b, 8, 0, 10]), /compressed with gzip/],
    ['a,x\n1,2\n', /^There is no column "x"\. The columns are A, B, C$/],
  ];
  for (const [source, error, options] of CASES) {
    test(JSON.stringify(String(source)), () => {
      const reader = csv({ header: [], ...options });
      expect(() => read(reader, Buffer.from(source as string))).toThrow(error);
    });
  }
});
