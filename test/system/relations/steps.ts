/**
 * Random histories of a cache: writes in all forms, declarations over data that exists, deadlines and reads. A seed
 * determines the history.
 */
import { pick, type RandomSource, seededRandom } from '../../fixtures/values/random-values.ts';

/** The parameters of a command, without its cache. */
export interface Operation {
  readonly cmd: string;
  readonly [parameter: string]: unknown;
}

/** How an operation is sent; each has the same outcome. */
export type Way = (typeof WAYS)[number];
const WAYS = ['query', 'json', 'reference', 'batch', 'once', 'dry', 'resource', 'import'] as const;

export type Step =
  /** The operation, on each side in its way. */
  | { readonly kind: 'operation'; readonly operation: Operation; readonly ways: readonly [Way, Way] }
  /** The operations together on one side and one after another on the other. */
  | {
      readonly kind: 'batch';
      readonly operations: readonly Operation[];
      readonly atomic: boolean;
      readonly way: Way;
      readonly side: 0 | 1;
    }
  /** A put whose entry has expired before the next step. */
  | { readonly kind: 'expired'; readonly operation: Operation; readonly ways: readonly [Way, Way] }
  /** A statement; `<T>` is the table, `<N>` its plain name, `<C>` the cache. `side`: only there. */
  | { readonly kind: 'statement'; readonly text: string; readonly side?: 0 | 1; readonly dry?: boolean }
  /** A row of all columns, put on one side and merged on the other. */
  | {
      readonly kind: 'row';
      readonly key: unknown;
      readonly fields: Readonly<Record<string, unknown>>;
      readonly side: 0 | 1;
    }
  /** A search of entries by a field. */
  | { readonly kind: 'search'; readonly field: string; readonly type: string; readonly value: string }
  | { readonly kind: 'check' };

/** Which relation a history is about. */
export type Form =
  /** Both sides do the same in different ways. */
  | 'ways'
  /** One side declares before it stores, the other stores before it declares. */
  | 'order'
  /** The same, with declarations in the configuration. */
  | 'configuration'
  /** Both sides do the same in different ways in front of clusters, which declare before they store. */
  | 'cluster';

export interface ConfiguredEntity {
  readonly keyType: string;
  readonly valueType: string;
  readonly tableName: string;
  readonly keyFields: readonly string[];
  readonly fields: Readonly<Record<string, unknown>>;
  readonly indexes: readonly string[];
}

export interface History {
  readonly seed: number;
  readonly form: Form;
  readonly keys: readonly unknown[];
  readonly keyType: string;
  /** The type of the objects. */
  readonly valueType: string;
  readonly hasFeed: boolean;
  /** What is declared first, if the history is not about that. */
  readonly declaration?: string;
  /** Before and after the service has started again. */
  readonly before: readonly Step[];
  readonly after: readonly Step[];
  /** What the configuration declares at first, and from the restart on. */
  readonly entities?: readonly [ConfiguredEntity, ConfiguredEntity];
}

/** The type of the objects. A cluster has one form of each type, whatever the cache. */
const VALUE_TYPE = 'Relation';

/** The types of columns, with values that fit them and others. */
interface Sort {
  readonly sql: string;
  readonly entity: unknown;
  readonly fits: readonly [unknown, ...unknown[]];
  readonly others: readonly unknown[];
}

const SORTS: readonly [Sort, ...Sort[]] = [
  { sql: 'BOOLEAN', entity: 'boolean', fits: [true, false, 'true', 'false'], others: [] },
  { sql: 'TINYINT', entity: 'byte', fits: [1, -128, '127'], others: [128, 'x'] },
  { sql: 'SMALLINT', entity: 'short', fits: [1, -32768, '32767'], others: [32768, 'x'] },
  { sql: 'INT', entity: 'int', fits: [1, -5, '2147483647'], others: [3_000_000_000, 'x', '1.5'] },
  { sql: 'BIGINT', entity: 'long', fits: [1, '9007199254740993', '-9223372036854775808'], others: ['x'] },
  { sql: 'REAL', entity: 'float', fits: [0.5, '1.5', -3], others: ['x'] },
  { sql: 'DOUBLE', entity: 'double', fits: [0.5, '-2.25', 7], others: ['x'] },
  { sql: 'DECIMAL', entity: 'decimal', fits: [1, 0.1, '1.20', '12345678901234567890.5'], others: ['x'] },
  {
    sql: 'DECIMAL(5,2)',
    entity: { type: 'decimal', precision: 5, scale: 2 },
    fits: [1, '1.25', '999.99', '-0.5'],
    others: ['1.234', '1234567'],
  },
  { sql: 'VARCHAR', entity: 'string', fits: ['', 'abc', '5', 'é😀', 'a,"b"', 5, true], others: [] },
  { sql: 'VARCHAR(3)', entity: { type: 'string', precision: 3 }, fits: ['', 'abc', 'é😀'], others: ['abcd'] },
  { sql: 'DATE', entity: 'date', fits: ['2020-02-29', '1969-12-31'], others: ['x'] },
  { sql: 'TIME', entity: 'time', fits: ['10:11:12', '23:59:59'], others: ['x'] },
  {
    sql: 'TIMESTAMP',
    entity: 'timestamp',
    fits: ['2020-01-02 03:04:05.123456789', '1969-12-31 23:59:59.5'],
    others: ['x'],
  },
  { sql: 'UUID', entity: 'uuid', fits: ['fedcba98-7654-3210-fedc-ba9876543210'], others: ['x'] },
  { sql: 'BINARY', entity: 'bytes', fits: ['AQI=', '', '++//'], others: [] },
  { sql: 'BINARY(2)', entity: { type: 'bytes', precision: 2 }, fits: ['AQI=', ''], others: ['AQIDBA=='] },
];

interface KeyForm {
  readonly type: string;
  readonly columns: string;
  readonly primaryKey: string;
  readonly options: string;
  readonly keys: readonly [unknown, ...unknown[]];
  /** Keys, no two of which are the same key in a table; absent if that holds for all forms. */
  readonly distinct?: readonly [unknown, ...unknown[]];
  readonly entity: Readonly<Record<string, unknown>>;
}

const KEY_FORMS: readonly [KeyForm, ...KeyForm[]] = [
  one('string', 'VARCHAR', ['a', 'b', 'a b', '', 'é'], 'string'),
  one('string', 'VARCHAR', ['1', '2', '10', '-1'], 'string'),
  one('int', 'INT', ['1', '2', '-3'], 'int'),
  one('long', 'BIGINT', ['1', '9007199254740993'], 'long'),
  {
    ...one('java.math.BigDecimal', 'DECIMAL', ['1', '1.0', '1.00', '-0.5', '1E+2', '100'], 'decimal'),
    distinct: ['1.0', '-0.50', '1E+2', '2'],
  },
  one('uuid', 'UUID', ['fedcba98-7654-3210-fedc-ba9876543210', '00000000-0000-0001-0000-000000000002'], 'uuid'),
  one('date', 'DATE', ['2020-02-29', '1969-12-31'], 'date'),
  {
    type: 'RelationKey',
    columns: 'K INT, L VARCHAR',
    primaryKey: 'K, L',
    options: ',KEY_TYPE=RelationKey',
    keys: [
      { K: 1, L: 'a' },
      { K: '1', L: 'a' },
      { K: 2, L: '' },
    ],
    distinct: [
      { K: '1', L: 'a' },
      { K: 2, L: '' },
      { K: 3, L: 'a' },
    ],
    entity: { K: 'int', L: 'string' },
  },
];

function one(type: string, sql: string, keys: readonly [unknown, ...unknown[]], entity: string): KeyForm {
  return { type, columns: `K ${sql}`, primaryKey: 'K', options: '', keys, entity: { K: entity } };
}

/** A node creates no table whose key is a DATE: the exchange of its partitions fails. */
const [FIRST_KEY_FORM, ...OTHER_KEY_FORMS] = KEY_FORMS;
const CLUSTER_KEY_FORMS: readonly [KeyForm, ...KeyForm[]] = [
  FIRST_KEY_FORM,
  ...OTHER_KEY_FORMS.filter(({ type }) => type !== 'date'),
];

interface Field {
  readonly name: string;
  readonly sort: Sort;
}

/** The choices of one history. */
interface Choices {
  readonly random: RandomSource;
  readonly keyForm: KeyForm;
  readonly valueType: string;
  readonly fields: readonly [Field, ...Field[]];
  /** Whether objects write a field in several ways. */
  readonly spellings: number;
  readonly misfits: number;
  /** Whether columns are dropped; else rows are written, which have the fields of dropped columns, as in Ignite. */
  readonly drops: boolean;
}

const chance = (random: RandomSource, percent: number): boolean => random.below(100) < percent;

function fieldValue({ random, misfits }: Choices, { sort }: Field): unknown {
  if (chance(random, 8)) return null;
  const [first, ...others] = sort.others;
  return first !== undefined && chance(random, misfits) ? pick(random, [first, ...others]) : pick(random, sort.fits);
}

function objectOf(choices: Choices): Readonly<Record<string, unknown>> {
  const { random, fields, spellings } = choices;
  const members: Array<readonly [string, unknown]> = [];
  for (const field of fields) {
    if (chance(random, 25)) continue;
    const name = chance(random, spellings) ? field.name.toUpperCase() : field.name;
    members.push([name, fieldValue(choices, field)]);
  }
  if (chance(random, 20)) members.push(['further', { city: pick(random, ['Oslo', 'Rome']), tags: ['x', true] }]);
  if (chance(random, 20)) members.reverse();
  return Object.fromEntries(members);
}

/** Returns a value with its type: mostly an object, otherwise one that is not a row. */
function typedValue(choices: Choices): { readonly val: unknown; readonly valueType: string } {
  const { random } = choices;
  if (chance(random, 85)) return { val: objectOf(choices), valueType: choices.valueType };
  return pick(random, [
    { val: 'text', valueType: 'string' },
    { val: '5', valueType: 'int' },
    { val: '1.50', valueType: 'java.math.BigDecimal' },
    { val: { a: 1 }, valueType: 'Other' },
  ]);
}

const READS = ['get', 'conkey'] as const;
const WRITES = ['put', 'put', 'put', 'add', 'putifabs', 'getput', 'getputifabs', 'rep', 'getrep'] as const;
const REMOVALS = ['rmv', 'getrmv'] as const;

function operationOf(choices: Choices): Operation {
  const { random, keyForm } = choices;
  const keyed = { keyType: keyForm.type, key: pick(random, keyForm.keys) };
  const kind = random.below(100);
  if (kind < 12) return { cmd: pick(random, READS), ...keyed };
  if (kind < 20) return { cmd: pick(random, REMOVALS), ...keyed };
  if (kind < 30) {
    const keys = [...new Set([keyed.key, pick(random, keyForm.keys)])];
    const { valueType } = typedValue(choices);
    const isObject = valueType === choices.valueType;
    const values = keys.map(() => (isObject ? objectOf(choices) : 'several'));
    return { cmd: 'putall', keyType: keyForm.type, keys, values, valueType: isObject ? valueType : 'string' };
  }
  if (kind < 33) return { cmd: 'rmvall', keyType: keyForm.type, keys: [keyed.key, pick(random, keyForm.keys)] };
  if (kind < 40) {
    const { val, valueType } = typedValue(choices);
    const val2 = valueType === choices.valueType ? objectOf(choices) : val;
    const cmd = pick(random, ['cas', 'repval']);
    return { cmd, ...keyed, val, val2, valueType };
  }
  if (kind < 43)
    return {
      cmd: 'append',
      ...keyed,
      ...pick(random, [
        { val: 'x', valueType: 'string' },
        { val: objectOf(choices), valueType: choices.valueType },
      ]),
    };
  if (kind < 45) return { cmd: pick(random, ['persist', 'size']), ...keyed };
  const ttl = chance(random, 10) ? { ttlMs: 3_600_000 } : {};
  return { cmd: pick(random, WRITES), ...keyed, ...typedValue(choices), ...ttl };
}

const AS_RESOURCE: ReadonlySet<string> = new Set(['get', 'put', 'putifabs', 'rmv']);

const READING: ReadonlySet<string> = new Set([...READS, 'size']);

function wayOf(random: RandomSource, operation: Operation): Way {
  const way = pick(random, WAYS);
  if (way === 'resource' && !AS_RESOURCE.has(operation.cmd)) return 'query';
  if (way === 'dry' && READING.has(operation.cmd)) return 'json';
  if (way === 'import' && (operation.cmd !== 'put' || 'ttlMs' in operation)) return 'json';
  // Replies and nested numbers differ in that mode.
  if (way === 'reference' && !['put', 'putall', 'rmv', 'rmvall', 'add', 'rep'].includes(operation.cmd)) return 'json';
  return way;
}

function waysOf(random: RandomSource, operation: Operation): readonly [Way, Way] {
  return [wayOf(random, operation), wayOf(random, operation)];
}

function createTable({ keyForm, fields, valueType }: Choices, random: RandomSource, columns: number): string {
  const shown = fields
    .slice(0, columns)
    .map(({ name, sort }) => `${name} ${sort.sql}${chance(random, 5) ? ' NOT NULL' : ''}, `);
  return (
    `CREATE TABLE <T> (${keyForm.columns}, ${shown.join('')}PRIMARY KEY (${keyForm.primaryKey})) ` +
    `WITH "CACHE_NAME=<C>,VALUE_TYPE=${valueType}${keyForm.options}"`
  );
}

function pathIndex({ name }: Field, type: string): string {
  return `ON "<C>".ENTRIES (JSON_VALUE(_val, '$.${name}' RETURNING ${type}))`;
}

const PATH_TYPES = ['VARCHAR', 'INT', 'BIGINT', 'DOUBLE', 'DECIMAL', 'DATE', 'BOOLEAN'] as const;

function literal(choices: Choices, field: Field): string {
  const value = fieldValue({ ...choices, misfits: 0 }, field);
  if (value === null) return 'NULL';
  if (field.sort.sql.startsWith('BINARY')) return "X'0102'";
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
}

/** Returns a definition or a change of rows. */
function statementOf(choices: Choices): Step {
  const { random, fields } = choices;
  const field = pick(random, fields);
  const side = random.below(2) as 0 | 1;
  const dry = chance(random, 25);
  const statement = (text: string): Step => ({ kind: 'statement', text, ...(dry && { dry }) });
  const others: readonly [() => Step, ...Array<() => Step>] = [
    () => statement(createTable(choices, random, random.below(fields.length + 1))),
    () => statement(createTable(choices, random, random.below(fields.length + 1))),
    () => statement(`ALTER TABLE <T> ADD COLUMN ${field.name} ${field.sort.sql}`),
    () => statement(`ALTER TABLE <T> ADD COLUMN ${field.name} ${pick(random, SORTS).sql}`),
    () => statement(choices.drops ? `ALTER TABLE <T> DROP COLUMN ${field.name}` : 'DELETE FROM <T>'),
    () => statement(`CREATE INDEX i<N>${field.name} ON <T> (${field.name})`),
    () => statement(`DROP INDEX i<N>${field.name}`),
    () => ({
      kind: 'statement',
      text: `CREATE INDEX p${field.name} ${pathIndex(field, pick(random, PATH_TYPES))}`,
      side,
    }),
    () => ({
      kind: 'statement',
      text: `CREATE INDEX p${field.name} ${pathIndex(field, pick(random, PATH_TYPES))}`,
      side,
    }),
    () => ({ kind: 'statement', text: `DROP INDEX "<C>".p${field.name}`, side }),
    () => statement(`UPDATE <T> SET ${field.name} = ${literal(choices, field)}`),
    () =>
      statement(`UPDATE <T> SET ${field.name} = ${literal(choices, field)} WHERE ${pick(random, fields).name} IS NULL`),
    () => statement(`DELETE FROM <T> WHERE ${field.name} IS NULL`),
    () => statement(`DELETE FROM <T> WHERE ${field.name} = ${literal(choices, field)}`),
    () => statement('DROP TABLE <T>'),
  ];
  return pick(random, others)();
}

function stepOf(choices: Choices): Step {
  const { random, fields, keyForm } = choices;
  const kind = random.below(100);
  if (kind < 50) {
    const operation = operationOf(choices);
    return { kind: 'operation', operation, ways: waysOf(random, operation) };
  }
  if (kind < 60) {
    const operations = Array.from({ length: 1 + random.below(4) }, () => operationOf(choices));
    const atomic = chance(random, 50);
    return {
      kind: 'batch',
      operations,
      atomic,
      way: pick(random, ['query', 'json', 'once']),
      side: random.below(2) as 0 | 1,
    };
  }
  if (kind < 63) {
    const operation = {
      cmd: 'put',
      keyType: keyForm.type,
      key: pick(random, keyForm.keys),
      ...typedValue(choices),
      ttlMs: 1,
    };
    return { kind: 'expired', operation, ways: [pick(random, ['query', 'json']), pick(random, ['query', 'json'])] };
  }
  if (kind < 70 && !choices.drops) {
    const values = fields.map((field) => [field.name, fieldValue({ ...choices, misfits: 0 }, field)] as const);
    return {
      kind: 'row',
      key: pick(random, keyForm.keys),
      fields: Object.fromEntries(values),
      side: random.below(2) as 0 | 1,
    };
  }
  if (kind < 76) {
    const field = pick(random, fields);
    return {
      kind: 'search',
      field: field.name,
      type: pick(random, PATH_TYPES),
      value: String(pick(random, field.sort.fits)),
    };
  }
  if (kind < 94) return statementOf(choices);
  return { kind: 'check' };
}

const CLUSTER_WAYS: readonly [Way, ...Way[]] = ['query', 'json', 'batch', 'once', 'resource', 'import'];

/** A cluster changes no table that has entries, and has neither paths nor dry runs. */
function clusterStep(choices: Choices): Step {
  const { random, fields } = choices;
  const step = stepOf(choices);
  const way = (operation: Operation): Way => {
    const found = wayOf(random, operation);
    return CLUSTER_WAYS.includes(found) ? found : 'json';
  };
  switch (step.kind) {
    case 'operation':
      return { ...step, ways: [way(step.operation), way(step.operation)] };
    case 'batch':
      return { ...step, atomic: false };
    case 'row':
    case 'check':
      return step;
    // A node's scans and statements see expired entries until they are removed.
    case 'expired':
    case 'search':
      return { kind: 'check' };
    case 'statement': {
      const [one, two] = [pick(random, fields), pick(random, fields)];
      const value = literal(choices, one);
      const text = pick(random, [
        `UPDATE <T> SET ${one.name} = ${value} WHERE ${two.name} IS NULL`,
        `UPDATE <T> SET ${one.name} = ${value}`,
        `DELETE FROM <T> WHERE ${one.name} IS NULL`,
      ]);
      return { kind: 'statement', text };
    }
  }
}

function put({ random, keyForm, ...choices }: Choices): Step {
  const key = pick(random, keyForm.keys);
  const val = objectOf({ random, keyForm, ...choices });
  const operation = { cmd: 'put', keyType: keyForm.type, key, val, valueType: choices.valueType };
  const ways: readonly [Way, ...Way[]] = ['query', 'json', 'resource', 'batch', 'import'];
  return { kind: 'operation', operation, ways: [pick(random, ways), pick(random, ways)] };
}

function entityOf(
  { keyForm, fields, valueType }: Choices,
  count: number,
  indexes: readonly string[],
): ConfiguredEntity {
  const declared = fields.slice(0, count).map(({ name, sort }) => [name, sort.entity] as const);
  return {
    keyType: keyForm.type,
    valueType,
    tableName: 'R',
    keyFields: Object.keys(keyForm.entity),
    fields: { ...keyForm.entity, ...Object.fromEntries(declared) },
    indexes,
  };
}

/** Creates the history of a seed. */
export function historyOf(seed: number, forms: readonly [Form, ...Form[]]): History {
  const random = seededRandom(seed);
  const form = pick(random, forms);
  const names = ['a', 'b', 'cc', 'd', 'e'].slice(0, 1 + random.below(5));
  const [first = 'a', ...others] = names;
  const field = (name: string): Field => ({ name, sort: pick(random, SORTS) });
  const { distinct, ...found } = pick(random, form === 'cluster' ? CLUSTER_KEY_FORMS : KEY_FORMS);
  const choices: Choices = {
    random,
    valueType: form === 'cluster' ? `${VALUE_TYPE}${seed}` : VALUE_TYPE,
    keyForm: form !== 'ways' && distinct !== undefined ? { ...found, keys: distinct } : found,
    fields: [field(first), ...others.map(field)],
    spellings: form === 'ways' && chance(random, 30) ? 20 : 0,
    misfits: form === 'ways' ? 6 : 0,
    drops: chance(random, 50),
  };
  const { keyForm, fields } = choices;
  const steps = (length: number): Step[] => Array.from({ length: 1 + random.below(length) }, () => stepOf(choices));
  const common = {
    seed,
    form,
    keys: keyForm.keys,
    keyType: keyForm.type,
    valueType: choices.valueType,
    hasFeed: chance(random, 30),
  };
  if (form === 'cluster') {
    const some = (length: number): Step[] =>
      Array.from({ length: 1 + random.below(length) }, () => clusterStep(choices));
    const declaration = createTable(choices, { below: () => 99 }, fields.length);
    return { ...common, hasFeed: false, declaration, before: some(14), after: some(4) };
  }
  if (form === 'ways') return { ...common, before: steps(14), after: steps(4) };
  const puts = Array.from({ length: 1 + random.below(6) }, () => put(choices));
  if (form === 'configuration') {
    const later = random.below(fields.length + 1);
    const indexed = fields.filter(() => chance(random, 30)).map(({ name }) => name);
    const early = random.below(later + 1);
    const declared = fields.slice(0, early).map(({ name }) => name);
    const former = entityOf(
      choices,
      early,
      indexed.filter((name) => declared.includes(name)),
    );
    const known = fields.slice(0, later).map(({ name }) => name);
    const entity = entityOf(
      choices,
      later,
      indexed.filter((name) => known.includes(name)),
    );
    return { ...common, before: puts, after: steps(4), entities: [former, entity] };
  }
  const columns = random.below(fields.length + 1);
  const added = fields.slice(columns).filter(() => chance(random, 60));
  const definitions = [
    createTable(choices, { below: () => 99 }, columns),
    ...added.map(({ name, sort }) => `ALTER TABLE <T> ADD COLUMN ${name} ${sort.sql}`),
  ];
  // Puts and definitions keep their order among themselves.
  const at = new Set<number>();
  const length = puts.length + definitions.length;
  while (at.size < definitions.length) at.add(random.below(length));
  const before = Array.from({ length }, (_, index): Step | undefined => {
    const text = at.has(index) ? definitions.shift() : undefined;
    return text === undefined ? puts.shift() : { kind: 'statement', text };
  });
  return { ...common, before: before.filter((step) => step !== undefined), after: steps(4) };
}
