import { describe, expect, test } from 'bun:test';
import { GridError } from '../../base/errors.ts';
import { PLAIN_FORMS } from '../source-forms.ts';
import { type InferenceOptions, inferTable } from './inference.ts';

const OPTIONS: InferenceOptions = {
  format: 'csv',
  table: 'PEOPLE',
  delimiter: undefined,
  header: undefined,
  columns: undefined,
  nullText: '',
  forms: PLAIN_FORMS,
  types: undefined,
  key: undefined,
  rowNumber: undefined,
  known: undefined,
};

function infer(text: string | Uint8Array, options: Partial<InferenceOptions> = {}, isWhole = true) {
  return inferTable(typeof text === 'string' ? Buffer.from(text) : text, isWhole, { ...OPTIONS, ...options });
}

/** Returns the columns as `NAME TYPE`, with `?` for those that may be NULL and `*` for keys. */
function columns(text: string | Uint8Array, options: Partial<InferenceOptions> = {}, isWhole = true): string {
  return infer(text, options, isWhole)
    .columns.map(({ name, type, nullable, key }) => `${name} ${type}${nullable ? '?' : ''}${key ? '*' : ''}`)
    .join(', ');
}

function failure(text: string | Uint8Array, options: Partial<InferenceOptions> = {}): string {
  try {
    return `no failure: ${columns(text, options)}`;
  } catch (error) {
    if (error instanceof GridError) return error.message;
    throw error;
  }
}

describe('types of values in CSV', () => {
  const CASES: ReadonlyArray<readonly [name: string, values: readonly string[], type: string]> = [
    ['whole numbers', ['1', '-2147483648', '0'], 'INTEGER'],
    ['texts with a zero character', ['a\u0000b', 'a'], 'VARCHAR'],
    ['beyond INTEGER', ['1', '2147483648'], 'BIGINT'],
    ['the ends of BIGINT', ['9223372036854775807', '-9223372036854775808'], 'BIGINT'],
    ['beyond BIGINT', ['1', '9223372036854775808'], 'DECIMAL'],
    ['fractions', ['1.50', '-0.5', '3'], 'DECIMAL'],
    ['exponents', ['1e5', '1.5', '2'], 'DOUBLE'],
    ['beyond DOUBLE', ['1e999'], 'VARCHAR'],
    ['more digits than a double has', ['1e5', '123456789012345678901.5'], 'DECIMAL'],
    ['an exponent with more digits', ['1.234567890123456789e5'], 'DECIMAL'],
    ['exponents and whole numbers beyond INTEGER', ['9007199254740993', '0.5', '1e5'], 'DECIMAL'],
    ['digits of a double and an exponent', ['0.30000000000000004', '1e-7'], 'DOUBLE'],
    ['leading zeros', ['01234', '1'], 'VARCHAR'],
    ['leading zeros before a point', ['00.5'], 'VARCHAR'],
    ['a plus sign', ['+4712345678'], 'VARCHAR'],
    ['a comma in a number', ['"1,5"', '"2,5"'], 'DECIMAL'],
    ['commas that separate decimals or thousands', ['"1,000"'], 'VARCHAR'],
    ['groups of thousands', ['"1,000"', '"1,000,000"'], 'INTEGER'],
    ['groups of thousands and decimals', ['"1,000.5"', '12'], 'DECIMAL'],
    ['thousands with a point', ['"1.000,50"', '12'], 'DECIMAL'],
    ['thousands in India', ['"12,34,567"'], 'INTEGER'],
    ['thousands with an apostrophe', ["1'000", "12'500"], 'INTEGER'],
    ['blanks between thousands before decimals', ['"1 000,50"'], 'DECIMAL'],
    ['decimal commas and points', ['"1,5"', '2.5'], 'VARCHAR'],
    ['leading zeros before a comma', ['"01,5"'], 'VARCHAR'],
    ['blanks around numbers', [' 1', '2 ', '" 3"'], 'INTEGER'],
    ['blanks around fractions', [' 1.5', '2\t'], 'DECIMAL'],
    ['blanks around truth values', [' true', 'false '], 'BOOLEAN'],
    ['blanks around dates', [' 2024-02-29'], 'DATE'],
    ['blanks inside a number', ['1 000'], 'VARCHAR'],
    ['blanks alone beside numbers', ['1', ' '], 'INTEGER?'],
    ['blanks alone beside texts', ['many', ' '], 'VARCHAR'],
    ['blanks alone in quotes', ['1', '" "'], 'VARCHAR'],
    ['only blanks', [' ', '  '], 'VARCHAR'],
    ['truth values', ['true', 'FALSE', 'True'], 'BOOLEAN'],
    ['other words for truth', ['yes', 'no'], 'VARCHAR'],
    ['truth values and numbers', ['true', '1'], 'VARCHAR'],
    ['dates', ['2024-02-29', '1990-01-01'], 'DATE'],
    ['a day that does not exist', ['2023-02-29'], 'VARCHAR'],
    ['dates in other forms', ['31.12.2024', '1.1.2025', '2024-12-31'], 'VARCHAR'],
    ['dates with points', ['31.12.2024', '1.1.2025'], 'DATE'],
    ['moments with points', ['31.12.2024 10:00', '01.01.2025 10:00:00,5', '1.1.2025'], 'TIMESTAMP'],
    ['dates with slashes', ['12/31/2024'], 'DATE'],
    ['moments of half a day', ['12/31/2024 2:30 PM'], 'TIMESTAMP'],
    ['dates whose order is not clear', ['01/02/2025', '03/04/2025'], 'VARCHAR'],
    ['dates that contradict each other', ['13/12/2024', '12/13/2024'], 'VARCHAR'],
    ['a day with points that does not exist', ['29.02.2023'], 'VARCHAR'],
    ['years of two digits', ['31.12.24'], 'VARCHAR'],
    ['timestamps', ['2024-01-02 10:00:00', '2024-01-02T10:00:00.123456', '2024-01-02T10:00:00Z'], 'TIMESTAMP'],
    ['dates and timestamps', ['2024-01-02', '2024-01-02 10:00:00'], 'TIMESTAMP'],
    ['timestamps with another zone', ['2024-01-02T10:00:00+02:00'], 'VARCHAR'],
    ['timestamps with nanoseconds', ['2024-01-02 10:00:00.123456789'], 'VARCHAR'],
    ['timestamps without seconds', ['2024-01-02 10:00'], 'VARCHAR'],
    ['UUIDs', ['123e4567-e89b-12d3-a456-426614174000'], 'UUID'],
    ['numbers and texts', ['1', 'many', '2'], 'VARCHAR'],
    ['numbers and dates', ['1', '2024-01-02'], 'VARCHAR'],
    ['numbers in quotes', ['"1"', '"2"'], 'INTEGER'],
    ['the empty string beside numbers', ['1', '""'], 'VARCHAR'],
    ['NULL beside numbers', ['1', ''], 'INTEGER?'],
    ['only NULL', ['', ''], 'VARCHAR?'],
  ];
  for (const [name, values, type] of CASES) {
    test(name, () => {
      const text = `id,v\n${values.map((value, at) => `${at},${value}\n`).join('')}`;
      expect(columns(text)).toBe(`ID INTEGER*, V ${type}`);
    });
  }
});

describe('delimiters', () => {
  const CASES: ReadonlyArray<readonly [text: string, delimiter: string]> = [
    ['a,b\n1,2\n', ','],
    ['a;b\n1,5;2,5\n', ';'],
    ['a\tb\n1\t2,0\n', '\t'],
    ['a|b|c\n1|2|3\n', '|'],
    ['a;b;c\r\n1;2;3\r\n', ';'],
    ['"a;b","c;d"\n"1;2",3\n', ','],
    ['id,note\n1,"x;y|z"\n', ','],
    ['id\tname, full\n1\tAnn, B\n2\tBob, C\n', '\t'],
    ['name\tplace, country, x\nAnn\tA, B, C\n', '\t'],
    ['name;address\nAnn;Main St 1, Oslo, Norway\n', ';'],
    ['last, first;age\nDoe, Ann;5\n', ';'],
    ['id;a,b\n1;2,5\n2;3,5\n', ';'],
    ['x,y;z,w\n1,5;2,5\n', ';'],
    ['1,5;2,5\n3,5;4,5\n', ';'],
    ['id,a|b\n1,x|y\n2,z|w\n', ','],
    ['id,a;b\n1,c;d\n', ','],
    ['a\tb|c\n1\t2|3\n', 'tab, |?'],
    ['a|b;c\nx|y;z\n', ';, |?'],
  ];
  for (const [text, delimiter] of CASES) {
    test(JSON.stringify(text), () => {
      const [, one, other] = /^(\S+), (\S+)\?$/.exec(delimiter) ?? [];
      if (one === undefined) expect(infer(text, { header: true }).delimiter).toBe(delimiter);
      else expect(failure(text)).toContain(`send delimiter=${one} or delimiter=${other}`);
    });
  }

  test('a named one is kept', () => {
    expect(columns('a,b;c\n1,2;3\n', { delimiter: ';' })).toBe('A_B DECIMAL*, C INTEGER');
  });
});

describe('headers', () => {
  test('a first record with a value that is no text is none', () => {
    const { header, renamed, columns: found } = infer('1,Ann\n2,Bob\n');
    expect([header, renamed, found.map(({ name }) => name)]).toEqual([false, ['C1', 'C2'], ['C1', 'C2']]);
  });

  test('unless the client says so', () => {
    expect(columns('region,2023,2024\nnorth,1,2\n', { header: true })).toBe(
      'REGION VARCHAR*, 2023 INTEGER, 2024 INTEGER',
    );
    expect(infer('id,2024\n1,2\n', { known: ['ID', '2024', 'X'] }).header).toBe(true);
    expect(columns('a,b\nc,d\n', { header: false })).toBe('C1 VARCHAR*, C2 VARCHAR');
    expect(columns('1,Ann\n2,Bob\n', { columns: ['id', 'name'] })).toBe('ID INTEGER*, NAME VARCHAR');
  });

  const FIRST: ReadonlyArray<readonly [text: string, first: 'header' | 'record' | 'unclear']> = [
    // Types of the records below.
    ['id,name\n1,Ann\n', 'header'],
    ['1,Ann\n2,Bob\n', 'record'],
    ['Ann,1\nBob,2\n', 'record'],
    ['zip,1\n01234,2\n', 'unclear'],
    ['x10,x20\n1,2\n', 'header'],
    ['born\n2024-01-02\n', 'header'],
    ['true,Ann\nfalse,Bob\n', 'record'],
    ['123e4567-e89b-12d3-a456-426614174000,a\n123e4567-e89b-12d3-a456-426614174001,b\n', 'record'],
    // Values that stay strings because of their digits.
    ['01234,Oslo\n99999,Rome\n00501,Bari\n', 'record'],
    ['00501,Oslo\n99999,Rome\n12345,Bari\n', 'record'],
    ['01.02.2024,Ann\n03.02.2024,Bob\n', 'record'],
    ['+47 22 00 00 00,Ann\n+47 22 00 00 01,Bob\n', 'record'],
    ['"1,5",Ann\n"2,5",Bob\n', 'record'],
    ['12/31/2024 10:00,Ann\n01/31/2025 11:00,Bob\n', 'record'],
    ['2024-01-02T10:00:00+02:00,Ann\n2024-01-03T10:00:00+02:00,Bob\n', 'record'],
    ['A-100,Oslo\nB-200,Rome\n', 'record'],
    ['$10.00,Ann\n$20.00,Bob\n', 'record'],
    ['10:15,Ann\n11:15,Bob\n', 'record'],
    ['192.168.0.1,Ann\n192.168.0.2,Bob\n', 'record'],
    ['zip,city\n01234,Oslo\n', 'header'],
    ['date,name\n01.02.2024,Ann\n', 'header'],
    ['phone,name\n+47 22 00 00 00,Ann\n', 'header'],
    ['Ann,n/a\nBob,5\nCid,6\n', 'unclear'],
    ['Ann,-\nBob,5\nCid,6\n', 'unclear'],
    // Texts above texts.
    ['Ann,Oslo\nBob,Rome\nCid,Bari\n', 'unclear'],
    ['ann@x.org,Oslo\nbob@y.org,Rome\n', 'unclear'],
    ['Italy,Rome\nItaly,Bari\nNorway,Oslo\n', 'record'],
    ['name,city\nAnn,Oslo\nBob,Rome\n', 'header'],
    ['vorname,ort\nAnn,Oslo\nBob,Rome\n', 'header'],
    ['NAVN,BY\nAnn,Oslo\nBob,Rome\n', 'header'],
    ['First Name,City\nAnn,Oslo\nBob,Rome\n', 'header'],
    ['level,text\nwarn,a\nwarn,b\n', 'header'],
    [`a,b\n${'x,y\n'.repeat(20)}`, 'header'],
    [`x,y\n${'x,y\n'.repeat(20)}`, 'unclear'],
    ['name,Ann\ncity,Oslo\n', 'unclear'],
    ['a,a\nB,C\n', 'unclear'],
    ['name,city\nAnn,Oslo\nname,city\nBob,Rome\n', 'unclear'],
    ['The film was great.,positive\nI hated it.,negative\n', 'unclear'],
    // Years and other periods.
    ['region,2023,2024\nEMEA,10,20\nAPAC,5,6\n', 'header'],
    ['area,2020,name\nA,5,x\nB,6,y\n', 'header'],
    ['Country Name,1960,1961\nNorway,3581239.5,3609800\n', 'header'],
    ['region,2024-01,2024-02\nEMEA,10,20\n', 'header'],
    ['x,2024,2023\ny,5,6\n', 'header'],
    ['2023,2024\n10,20\n', 'header'],
    ['team,2023\nalpha,10\nbeta,20\n', 'unclear'],
    ['Ann,2010\nBob,2011\n', 'record'],
    ['region,1,2\nEMEA,10,20\n', 'unclear'],
    // Without records.
    ['1,Ann\n', 'record'],
    ['01234,Oslo\n', 'record'],
  ];
  for (const [text, first] of FIRST) {
    test(`${first}: ${JSON.stringify(text)}`, () => {
      if (first === 'unclear') expect(failure(text)).toMatch(/^The first record .*header=true .*header=false/);
      else expect(infer(text).header).toBe(first === 'header');
    });
  }

  test('an unclear one is shown in both readings', () => {
    expect(failure('Ann,Oslo\nBob,Rome\n')).toBe(
      'The first record may be a header or a row, and the source does not show which: send header=true for columns called ANN, OSLO, or header=false for columns called C1, C2',
    );
    expect(columns('Ann,Oslo\nBob,Rome\n', { header: false })).toBe('C1 VARCHAR*, C2 VARCHAR');
    expect(infer('Navn,By\nOslo,Rome\n', { known: ['NAVN', 'BY'] }).header).toBe(true);
    expect(infer('navn,byy,id\na,b,c\n', { known: ['NAVN', 'BY', 'ID'] }).header).toBe(true);
  });

  const NAMES: ReadonlyArray<readonly [header: string, names: readonly string[], renamed: boolean]> = [
    ['id,name', ['ID', 'NAME'], false],
    ['id, Full Name ', ['ID', 'Full Name'], false],
    ['id,name,Name,NAME', ['ID', 'NAME', 'NAME_2', 'NAME_3'], true],
    ['id,,x', ['ID', 'C2', 'X'], true],
    ['id,"a,b","say ""x"""', ['ID', 'A_B', 'say _x_'], true],
    ['id,Größe,order', ['ID', 'GRÖSSE', 'ORDER'], false],
    ['\ufeffid,x', ['ID', 'X'], false],
    ['id,first-name,2nd', ['ID', 'first-name', '2nd'], false],
  ];
  for (const [header, names, renamed] of NAMES) {
    test(header, () => {
      const found = infer(`${header}\n1${',a'.repeat(names.length - 1)}\n`);
      expect(found.columns.map(({ name }) => name)).toEqual([...names]);
      expect(found.renamed).toEqual(renamed ? [...names] : undefined);
    });
  }
});

describe('keys', () => {
  const CASES: ReadonlyArray<readonly [name: string, text: string, expected: string, Partial<InferenceOptions>?]> = [
    ['id, wherever it is', 'name,id\na,1\nb,2\n', 'NAME VARCHAR, ID INTEGER*'],
    ['named like the table', 'name,person_id\na,1\nb,2\n', 'NAME VARCHAR, PERSON_ID INTEGER*', { table: 'PERSONS' }],
    ['the first column, if it is unique', 'name,x\na,1\nb,1\n', 'NAME VARCHAR*, X INTEGER'],
    ['no column with NULL', 'id,x\n1,1\n,2\n', 'ROW_NUMBER BIGINT*, ID INTEGER?, X INTEGER'],
    ['no column that repeats', 'id,x\n1,1\n1,2\n', 'ROW_NUMBER BIGINT*, ID INTEGER, X INTEGER'],
    ['not the only column', 'id\n1\n2\n', 'ROW_NUMBER BIGINT*, ID INTEGER'],
    ['a named one', 'id,x\n1,1\n2,2\n', 'ID INTEGER, X INTEGER*', { key: 'X' }],
    ['several', 'a,b,c\n1,1,\n1,2,\n', 'A INTEGER*, B INTEGER*, C VARCHAR?', { key: 'a, b' }],
    ['a number that the client asks for', 'id,x\n1,1\n', 'N BIGINT*, ID INTEGER, X INTEGER', { rowNumber: 'n' }],
    ['and a key beside it', 'id,x\n1,1\n', 'N BIGINT, ID INTEGER*, X INTEGER', { rowNumber: 'n', key: 'id' }],
    ['a free name', 'row_number,x\n1,1\n1,2\n', 'ROW_NUMBER_2 BIGINT*, ROW_NUMBER INTEGER, X INTEGER'],
  ];
  for (const [name, text, expected, options] of CASES) test(name, () => expect(columns(text, options)).toBe(expected));

  test('a sample that is not the whole source makes no text a key, and no column NOT NULL', () => {
    expect(columns('name,x\na,1\nb,1\nc,', {}, false)).toBe('ROW_NUMBER BIGINT*, NAME VARCHAR?, X INTEGER?');
    expect(columns('n,x\n1,1\n2,1\n3,', {}, false)).toBe('N INTEGER*, X INTEGER?');
  });
});

test('a client names types of its own', () => {
  const text = 'id,price,born\n1,10.5,2024-01-01\n';
  expect(columns(text, { types: 'price=decimal(10, 2),BORN=varchar' })).toBe(
    'ID INTEGER*, PRICE DECIMAL(10, 2), BORN VARCHAR',
  );
});

describe('forms of days and numbers', () => {
  const LINES: ReadonlyArray<readonly [name: string, text: string, forms: object, notes?: readonly string[]]> = [
    [
      'of Germany',
      'id;tag;betrag\n1;31.12.2025;1.234,56\n2;01.02.2026;7\n',
      { dateFormat: 'dd.MM.yyyy', decimalSeparator: ',', thousands: '.' },
    ],
    ['of the United States', 'id,a\n1,"1,234.5"\n', { thousands: ',' }],
    ['a column tells for another', 'id;a;b\n1;1,5;1.234\n', { decimalSeparator: ',', thousands: '.' }],
    ['a column of points tells for thousands', 'id;a;b\n1;1.5;1,234\n', { thousands: ',' }],
    ['a day tells for other columns', 'id,a,b\n1,01/02/2025,31/12/2025\n', { dateFormat: 'dd/MM/yyyy' }],
    [
      'days in either order',
      'id,a\n1,01/02/2025\n',
      {},
      ['A stays text: 01/02/2025 may be 2025-02-01 (dateFormat=dd/MM/yyyy) or 2025-01-02 (dateFormat=MM/dd/yyyy)'],
    ],
    [
      'days of two forms',
      'id,a,b\n1,31.12.2025,2025/12/31\n',
      { dateFormat: 'dd.MM.yyyy' },
      ['B stays text: 2025/12/31 is not a date (dateFormat=dd.MM.yyyy)'],
    ],
    [
      'a comma before three digits',
      'id,a\n1,"1,234"\n',
      {},
      ['A stays text: 1,234 may be 1234 (thousands=,) or 1.234 (decimalSeparator=,)'],
    ],
    [
      'a point before three digits',
      'id;a\n1;1.234\n2;5.678\n',
      {},
      ['A is read as 1.234: with thousands=. it is 1234'],
    ],
    [
      'a point before three digits beside days of Germany',
      'id;tag;a;b\n1;31.12.2025;1.234;x\n2;01.02.2026;5;y\n',
      { dateFormat: 'dd.MM.yyyy' },
      ['A stays text: 1.234 may be 1.234 (decimalSeparator=.) or 1234 (thousands=.)'],
    ],
    ['the same, and another point', 'id;tag;a;b\n1;31.12.2025;1.234;1.5\n', { dateFormat: 'dd.MM.yyyy' }],
    [
      'the same beside days of the United States',
      'id;tag;a\n1;12/31/2025;1.234\n',
      { dateFormat: 'MM/dd/yyyy' },
      ['A is read as 1.234: with thousands=. it is 1234'],
    ],
    ['a point before three digits, and zero', 'id;a\n1;1.234\n2;0.678\n', {}],
    [
      'decimals of both kinds',
      'id;a;b\n1;1,5;2.5\n',
      {},
      ['A stays text: its decimals have a comma (1,5), those of B a point (2.5)'],
    ],
    ['texts between', 'id;a\n1;1,5\n2;x\n', {}],
    ['blanks between digits', 'id;a\n1;123 456\n', {}],
  ];
  for (const [name, text, forms, notes = []] of LINES) {
    test(name, () => {
      const found = infer(text);
      expect(found.forms).toEqual({ ...PLAIN_FORMS, ...forms });
      expect(found.notes).toEqual([...notes]);
    });
  }

  test('what the client names is kept, and completed', () => {
    const text = 'id;a;b\n1;1.234;01/02/2025\n';
    expect(infer(text, { forms: { ...PLAIN_FORMS, decimalSeparator: '.' } }).notes.join()).not.toContain('A ');
    expect(columns(text, { forms: { dateFormat: 'MM/dd/yyyy', decimalSeparator: ',', thousands: '.' } })).toBe(
      'ID INTEGER*, A INTEGER, B DATE',
    );
    expect(infer('id;a\n1;1.234,5\n', { forms: { ...PLAIN_FORMS, decimalSeparator: ',' } }).forms.thousands).toBe('.');
  });

  test('an unclear point is a text until the client says what it is', () => {
    const text = 'id;tag;a\n1;31.12.2025;1.234\n';
    expect(columns(text)).toBe('ID INTEGER*, TAG DATE, A VARCHAR');
    const separator = (decimalSeparator: ',' | '.') => ({ forms: { ...PLAIN_FORMS, decimalSeparator } });
    expect(columns(text, separator('.'))).toBe('ID INTEGER*, TAG DATE, A DECIMAL');
    expect(columns(text, separator(','))).toBe('ID INTEGER*, TAG DATE, A INTEGER');
    expect(infer(text, { types: 'a=decimal(9,3)' }).notes).toEqual(['A is read as 1.234: with thousands=. it is 1234']);
  });

  test('columns of texts are no evidence', () => {
    const text = 'id;a;b\n1;1,5;2.5\n';
    const none = { forms: PLAIN_FORMS, notes: [] };
    expect(infer(text, { types: 'a=varchar(10)' })).toMatchObject(none);
    expect(infer(text, { known: ['ID', 'A', 'B'], texts: new Set(['A']) })).toMatchObject(none);
    expect(infer('1;1,5;2.5\n', { header: false, known: ['ID', 'A', 'B'], texts: new Set(['A']) })).toMatchObject(none);
  });

  test('a header above German numbers, and none', () => {
    expect(infer('31.12.2025;1,5\n01.01.2026;2,5\n')).toMatchObject({ delimiter: ';', header: false });
    expect(infer('Tag;Betrag\n31.12.2025;1,5\n01.01.2026;2,5\n')).toMatchObject({ delimiter: ';', header: true });
  });
});

describe('NDJSON', () => {
  const CASES: ReadonlyArray<readonly [name: string, text: string, expected: string]> = [
    ['types of JSON', '{"id":1,"n":1.5,"b":true,"s":"1"}\n', 'ID INTEGER*, N DECIMAL, B BOOLEAN, S VARCHAR'],
    ['strings with dates', '{"id":1,"d":"2024-01-02"}\n', 'ID INTEGER*, D DATE'],
    ['members that are missing', '{"id":1,"a":1}\n{"id":2,"b":"x"}\n', 'ID INTEGER*, A INTEGER?, B VARCHAR?'],
    ['null', '{"id":1,"a":null}\n', 'ID INTEGER*, A VARCHAR?'],
    ['numbers and strings', '{"id":1,"a":1}\n{"id":2,"a":"x"}\n', 'ID INTEGER*, A VARCHAR'],
    ['large numbers', '{"id":12345678901234567890,"a":1e3}\n', 'ID DECIMAL*, A DOUBLE'],
    ['numbers beyond DOUBLE', '{"id":1,"a":1e400}\n{"id":2,"a":1e3}\n', 'ID INTEGER*, A DECIMAL'],
    ['names that differ in case', '{"id":1,"a":1,"A":2}\n', 'ID INTEGER*, a INTEGER, A INTEGER'],
    ['unusual names', '{"id":1,"first name":"x"}\n', 'ID INTEGER*, first name VARCHAR'],
  ];
  for (const [name, text, expected] of CASES) {
    test(name, () => expect(columns(text, { format: 'ndjson' })).toBe(expected));
  }
});

describe('failures', () => {
  const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('id,x\n', 'utf16le')]);
  const CASES: ReadonlyArray<readonly [string, string | Uint8Array, RegExp, Partial<InferenceOptions>?]> = [
    ['UTF-16', utf16, /^The source is UTF-16: convert it to UTF-8/],
    ['UTF-16 without a mark', Buffer.from('id,x\n', 'utf16le'), /zero bytes/],
    ['UTF-16 without a mark, big endian', Buffer.from('id,x\n1,a\n', 'utf16le').swap16(), /zero bytes/],
    ['Latin-1', Buffer.from('id,x\n1,größe\n', 'latin1'), /^The source is not UTF-8 on line 2: .*WINDOWS-1252/],
    ['gzip', new Uint8Array([0x1f, 0x8b, 8, 0]), /compressed with gzip/],
    ['a workbook', Buffer.from('PK\x03\x04 '), /workbook/],
    ['an empty source', '', /the source is empty/],
    ['empty lines', '\n\n', /the source is empty/],
    ['lines that end in CR', 'id,name\r1,Ann\r', /its lines end in CR alone/],
    ['a line for spreadsheets', 'sep=;\r\nid;name\r\n1;Ann\r\n', /begins with sep=;, which only spreadsheets read/],
    ['a header alone', 'id,name\n', /a header and no records; .* types=ID=varchar,NAME=varchar$/],
    ['what curl -d makes of records', 'id;name1;Ann2;Bob', /it is a single line \(curl -d/],
    ['a quote that is not closed', 'id,x\n1,"a\n2,b\n', /: line 2: a quoted field has no closing quote/],
    ['a quote inside a field', 'id,stop\n1,Main St "North"\n2,Elm\n', /: line 2: a quote inside .* write " as ""/],
    ['a quote inside a name', 'id,stop "x"\n1,a\n2,b\n', /: line 1: a quote inside .* write " as ""/],
    ['a name that goes on after its quote', 'id,"stop" x\n1,a\n', /: line 1: a quoted field goes on/],
    ['a name whose quote is not closed', 'id,"stop\n1,a\n', /: line 1: a quoted field has no closing quote/],
    ['a header with a misplaced quote alone', 'id,sto"p', /: line 1: a quote inside/],
    ['a quoted line for spreadsheets', '"sep=;"\nid;name\n1;Ann\n', /begins with sep=;, which only spreadsheets read/],
    ['reserved columns', '_key,_val\n1,2\n', /cannot be called _KEY: .*columns=id,name/],
    ['reserved members', '{"_key":1,"_val":2}\n', /cannot be called _KEY/, { format: 'ndjson' }],
    [
      'a comma after an object',
      '{"a":1},\n{"a":2},\n',
      /members: remove the comma at its end \(character 8\)/,
      { format: 'ndjson' },
    ],
    ['half an object', '\n{"a":\n', /members \(line 2\): .*column/, { format: 'ndjson' }],
    ['a JSON array', '[{"id":1}]', /is a JSON array/, { format: 'ndjson' }],
    ['no objects', '1\n2\n', /no JSON object/, { format: 'ndjson' }],
    ['nested members', '{"id":1,"a":{"b":1}}\n', /"A" holds a JSON object/, { format: 'ndjson' }],
    ['an unknown key', 'id,x\n1,2\n', /no column "y". The columns are ID, X/, { key: 'y' }],
    ['every column as key', 'id,x\n1,2\n', /besides its key/, { key: 'id,x' }],
    ['an unknown column in types', 'id,x\n1,2\n', /no column "y"/, { types: 'y=varchar' }],
    ['a type that is none', 'id,x\n1,2\n', /COLUMN=TYPE/, { types: 'x=varchar); DROP TABLE t' }],
    ['types without a name', 'id,x\n1,2\n', /COLUMN=TYPE/, { types: 'varchar' }],
    ['a number of records that the source has', 'id,x\n1,2\n', /column "id" is listed twice/, { rowNumber: 'id' }],
    ['another number of names', 'id,x\n1,2\n', /2 names, one for each field/, { columns: ['a'] }],
  ];
  for (const [name, text, message, options] of CASES) {
    test(name, () => expect(failure(text, options)).toMatch(message));
  }

  test('none for a header alone with all types', () => {
    expect(columns('id,name\n', { types: 'id=bigint,name=varchar', key: 'id' })).toBe('ID BIGINT*, NAME VARCHAR?');
  });
});

describe('a table that exists needs nothing to infer from', () => {
  const known = ['ID', 'NAME'];
  const CASES: ReadonlyArray<readonly [name: string, text: string, options?: Partial<InferenceOptions>]> = [
    ['an empty source', ''],
    ['no objects', '', { format: 'ndjson' }],
    ['a header alone', 'ID,NAME\n'],
    ['only the key', 'ID\n1\n'],
  ];
  for (const [name, text, options] of CASES) {
    test(name, () => {
      expect(infer(text, { known, ...options })).toMatchObject({ header: true, renamed: undefined });
    });
  }

  test('but its first line must end within the sample', () => {
    expect(() => infer(' ', { known }, false)).toThrow('its first line is too long');
  });
});

// A request is inferred on a thread that answers others: work quadratic in the sample would stall it.
describe('samples that are made to be slow', () => {
  test('ten thousand columns of the same name', () => {
    const line = (field: string): string => `${Array(10_000).fill(field).join(',')}\n`;
    const inferred = infer(line('a') + line('1'));
    expect(inferred.columns.length).toBe(10_000);
    expect(inferred.columns.slice(0, 2).map(({ name }) => name)).toEqual(['A', 'A_2']);
    expect(inferred.columns.at(-1)?.name).toBe('A_10000');
  });

  test('thousands of columns, and a record without them on each line', () => {
    const members = Array.from({ length: 5_000 }, (_, at) => `"c${at}":${at}`).join(',');
    const inferred = infer(`{${members}}\n${'{}\n'.repeat(20_000)}`, { format: 'ndjson' });
    expect(inferred.records).toBe(20_001);
    expect(inferred.columns.filter(({ nullable }) => nullable).length).toBe(5_000);
  });

  test('a list of types that consists of commas, and one with commas in parentheses', () => {
    expect(failure('id,x\n1,2\n', { types: ','.repeat(48_000) })).toContain('COLUMN=TYPE');
    expect(columns('id,x,y\n1,2,3\n', { types: 'x=decimal(10, 2),y=varchar(5)' })).toBe(
      'ID INTEGER*, X DECIMAL(10, 2), Y VARCHAR(5)',
    );
  });
});

describe('columns that are left out', () => {
  test('have no part in types, keys and the first records', () => {
    const text = 'id,secret,Name\n1,x,Ann\n2,,\n';
    expect(columns(text, { omit: ['Secret'] })).toBe('ID INTEGER*, NAME VARCHAR?');
    expect(infer(text, { omit: ['secret'] }).first).toEqual([
      ['1', 'Ann'],
      ['2', null],
    ]);
    expect(infer(text, { omit: ['id', 'secret'] }).first).toEqual([
      ['1', 'Ann'],
      ['2', null],
    ]);
    expect(columns(text, { omit: ['id', 'secret'] })).toBe('ROW_NUMBER BIGINT*, NAME VARCHAR?');
    expect(failure(text, { omit: ['salary'] })).toContain('There is no column "salary"');
  });

  test('of objects, whose first five are shown with the members that others have', () => {
    const lines = Array.from(
      { length: 7 },
      (_, at) => `{"id":${at + 1},"a":${at % 2 === 0 ? '1.50' : 'null'},"b":true}\n`,
    );
    const found = infer(lines.join(''), { format: 'ndjson', omit: ['b', 'absent'] });
    expect(found.columns.map(({ name }) => name)).toEqual(['ID', 'A']);
    expect(found.first).toEqual([
      ['1', '1.50'],
      ['2', null],
      ['3', '1.50'],
      ['4', null],
      ['5', '1.50'],
    ]);
  });

  test('keep their places among names that replace those of the source', () => {
    const { renamed, columns: found } = infer('1;x;2\n3;y;4\n', {
      header: false,
      columns: ['A', 'B', 'C'],
      omit: ['b'],
    });
    expect([renamed, found.map(({ name }) => name)]).toEqual([
      ['A', 'B', 'C'],
      ['A', 'C'],
    ]);
  });
});
