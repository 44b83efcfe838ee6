/** Tables of INFORMATION_SCHEMA about the dialect, its settings and its users. */
import { AGGREGATES, FUNCTIONS } from '../../../sql/functions/functions.ts';
import { DATABASE_NAME } from '../../../sql/functions/system.ts';
import type { SqlAggregate, SqlFunction } from '../../../sql/types/sql-types.ts';
import { PUBLIC_SCHEMA } from '../ddl/sql-names.ts';
import { TYPE_INFO, type TypeInfo } from './jdbc-types.ts';
import type { QueryHistoryInfo, QueryInfo, UserInfo } from './service-info.ts';
import type { SystemInfo } from './system-info.ts';
import { double, emptyView, flag, int, long, type SystemView, short, systemView, text } from './system-view.ts';

const SCHEMA = 'INFORMATION_SCHEMA';
/** Version of the dialect, by which clients choose a grammar. */
const DIALECT_BUILD = '197';

const TYPES = systemView<TypeInfo>(SCHEMA, 'TYPE_INFO', '', () => TYPE_INFO, {
  TYPE_NAME: text(({ name }) => name),
  DATA_TYPE: int(({ code }) => code),
  PRECISION: int(({ precision }) => precision),
  PREFIX: text(({ prefix }) => prefix),
  SUFFIX: text(({ suffix }) => suffix),
  PARAMS: text(({ params }) => params),
  AUTO_INCREMENT: flag(({ autoIncrement }) => autoIncrement),
  MINIMUM_SCALE: short(() => 0),
  MAXIMUM_SCALE: short(({ maximumScale }) => maximumScale),
  RADIX: int(({ radix }) => radix),
  POS: int(({ position }) => position),
  CASE_SENSITIVE: flag(({ caseSensitive }) => caseSensitive),
  NULLABLE: short(() => 1),
  SEARCHABLE: short(() => 3),
});

type Setting = readonly [name: string, value: string];

function settings({ node, service }: SystemInfo): Setting[] {
  return [
    ['CREATE_BUILD', DIALECT_BUILD],
    ['info.BUILD_ID', DIALECT_BUILD],
    ['info.VERSION_MAJOR', '1'],
    ['info.VERSION_MINOR', '4'],
    ['info.VERSION', `1.4.${DIALECT_BUILD}`],
    ['info.PRODUCT_VERSION', node.version],
    ['MODE', 'REGULAR'],
    ['DATABASE_TO_UPPER', 'true'],
    ['DEFAULT_ESCAPE', '\\'],
    ['property.file.encoding', 'UTF-8'],
    ['property.user.timezone', 'UTC'],
    ...Object.entries(service.settings ?? {}).map(([path, value]): Setting => [`svc.${path}`, value]),
  ];
}

const SETTINGS = systemView<Setting>(SCHEMA, 'SETTINGS', '', settings, {
  NAME: text(([name]) => name),
  VALUE: text(([, value]) => value),
});

interface HelpInfo {
  readonly id: number;
  readonly section: string;
  readonly topic: string;
  readonly syntax: string;
  readonly text: string;
}

const SECTIONS: Readonly<Record<SqlFunction['group'], string>> = {
  string: 'Functions (String)',
  numeric: 'Functions (Numeric)',
  datetime: 'Functions (Time and Date)',
  system: 'Functions (System)',
  json: 'Functions (JSON)',
  conditional: 'Functions (System)',
};

/** Returns the functions of the dialect, as the binder declares them. */
function help(): HelpInfo[] {
  const info = [
    ...[...new Set(FUNCTIONS.values())].map((each) => ({ each, section: SECTIONS[each.group] })),
    ...[...new Set(AGGREGATES.values())].map((each) => ({ each, section: 'Functions (Aggregate)' })),
  ];
  return info.map(({ each, section }, id) => ({
    id,
    section,
    topic: each.names.join(', '),
    syntax: syntaxOf(each),
    text: each.summary,
  }));
}

function syntaxOf({ names: [name], minArguments, maxArguments }: SqlFunction | SqlAggregate): string {
  const needed = Array.from({ length: minArguments }, (_, at) => `argument${at + 1}`).join(', ');
  if (maxArguments === minArguments) return `${name}(${needed})`;
  const further = Number.isFinite(maxArguments) ? ` [, up to ${maxArguments}]` : ' [, ...]';
  return `${name}(${needed}${further})`;
}

const HELP = systemView<HelpInfo>(SCHEMA, 'HELP', '', help, {
  ID: int(({ id }) => id),
  SECTION: text(({ section }) => section),
  TOPIC: text(({ topic }) => topic),
  SYNTAX: text(({ syntax }) => syntax),
  TEXT: text(({ text: sentence }) => sentence),
});

const USERS = systemView<UserInfo>(SCHEMA, 'USERS', '', ({ service }) => service.users ?? [], {
  NAME: text(({ name }) => name),
  ADMIN: text(({ administrator }) => String(administrator)),
  REMARKS: text(() => ''),
  ID: int(() => 0),
});

const SESSIONS = systemView<QueryInfo>(SCHEMA, 'SESSIONS', '', ({ service }) => service.queries ?? [], {
  ID: int(({ id }) => id % 2_147_483_647),
  USER_NAME: text(({ owner }) => owner),
  SESSION_START: text(({ startedAtMs }) => formatTime(startedAtMs)),
  STATEMENT: text(({ sql }) => sql),
  STATEMENT_START: text(({ startedAtMs }) => formatTime(startedAtMs)),
  CONTAINS_UNCOMMITTED: text(() => 'false'),
});

function formatTime(atMs: number): string {
  return new Date(atMs).toISOString().replace('T', ' ').replace('Z', '');
}

const ROLES = systemView<string>(SCHEMA, 'ROLES', '', () => ['PUBLIC'], {
  NAME: text((name) => name),
  REMARKS: text(() => ''),
  ID: int(() => 0),
});

const COLLATIONS = systemView<string>(SCHEMA, 'COLLATIONS', '', () => ['OFF'], {
  NAME: text((name) => name),
  KEY: text((name) => name),
});

function clampInt(count: number): number {
  return Math.min(count, 2_147_483_647);
}

/** Statement texts with their execution statistics. */
const QUERY_STATISTICS = systemView<QueryHistoryInfo>(
  SCHEMA,
  'QUERY_STATISTICS',
  '',
  ({ service }) => service.history ?? [],
  {
    SQL_STATEMENT: text(({ sql }) => sql),
    EXECUTION_COUNT: int(({ executions }) => clampInt(executions)),
    MIN_EXECUTION_TIME: double(({ shortestMs }) => shortestMs),
    MAX_EXECUTION_TIME: double(({ longestMs }) => longestMs),
    CUMULATIVE_EXECUTION_TIME: double(({ totalMs }) => totalMs),
    AVERAGE_EXECUTION_TIME: double(({ totalMs, executions }) => totalMs / executions),
    STD_DEV_EXECUTION_TIME: double(({ deviationMs }) => deviationMs),
    MIN_ROW_COUNT: int(({ fewestRows }) => clampInt(fewestRows)),
    MAX_ROW_COUNT: int(({ mostRows }) => clampInt(mostRows)),
    CUMULATIVE_ROW_COUNT: long(({ totalRows }) => totalRows),
    AVERAGE_ROW_COUNT: double(({ totalRows, executions }) => totalRows / executions),
    STD_DEV_ROW_COUNT: double(({ deviationRows }) => deviationRows),
  },
);

const TABLE_NAMED = 'TABLE_CATALOG text, TABLE_SCHEMA text, TABLE_NAME text';

/** Empty tables for features that the dialect lacks: constants, domains, sequences, triggers, locks, privileges. */
const EMPTY_TABLES: ReadonlyArray<readonly [name: string, columns: string]> = [
  [
    'COLUMN_PRIVILEGES',
    `GRANTOR text, GRANTEE text, ${TABLE_NAMED}, COLUMN_NAME text, PRIVILEGE_TYPE text, IS_GRANTABLE text`,
  ],
  [
    'CONSTANTS',
    'CONSTANT_CATALOG text, CONSTANT_SCHEMA text, CONSTANT_NAME text, DATA_TYPE int, REMARKS text, SQL text, ID int',
  ],
  [
    'DOMAINS',
    'DOMAIN_CATALOG text, DOMAIN_SCHEMA text, DOMAIN_NAME text, COLUMN_DEFAULT text, IS_NULLABLE text, DATA_TYPE int, ' +
      'PRECISION int, SCALE int, TYPE_NAME text, SELECTIVITY int, CHECK_CONSTRAINT text, REMARKS text, SQL text, ID int',
  ],
  ['IN_DOUBT', 'TRANSACTION text, STATE text'],
  ['LOCKS', 'TABLE_SCHEMA text, TABLE_NAME text, SESSION_ID int, LOCK_TYPE text'],
  [
    'RIGHTS',
    'GRANTEE text, GRANTEETYPE text, GRANTEDROLE text, RIGHTS text, TABLE_SCHEMA text, TABLE_NAME text, ID int',
  ],
  [
    'SEQUENCES',
    'SEQUENCE_CATALOG text, SEQUENCE_SCHEMA text, SEQUENCE_NAME text, CURRENT_VALUE long, INCREMENT long, ' +
      'IS_GENERATED flag, REMARKS text, CACHE long, MIN_VALUE long, MAX_VALUE long, IS_CYCLE flag, ID int',
  ],
  ['SESSION_STATE', 'KEY text, SQL text'],
  [
    'SYNONYMS',
    'SYNONYM_CATALOG text, SYNONYM_SCHEMA text, SYNONYM_NAME text, SYNONYM_FOR text, SYNONYM_FOR_SCHEMA text, ' +
      'TYPE_NAME text, STATUS text, REMARKS text, ID int',
  ],
  ['TABLE_PRIVILEGES', `GRANTOR text, GRANTEE text, ${TABLE_NAMED}, PRIVILEGE_TYPE text, IS_GRANTABLE text`],
  [
    'TRIGGERS',
    `TRIGGER_CATALOG text, TRIGGER_SCHEMA text, TRIGGER_NAME text, TRIGGER_TYPE text, ${TABLE_NAMED}, BEFORE flag, ` +
      'JAVA_CLASS text, QUEUE_SIZE int, NO_WAIT flag, REMARKS text, SQL text, ID int',
  ],
];

/** Ignite lists one function, which is one of its Java methods. */
const igniteAlias = ({ asIgnite }: SystemInfo): readonly string[] => (asIgnite ? ['QUERY_ENGINE'] : []);
const ALIAS_COLUMNS = {
  ALIAS_CATALOG: text<string>(() => DATABASE_NAME),
  ALIAS_SCHEMA: text<string>(() => PUBLIC_SCHEMA),
  ALIAS_NAME: text<string>((name) => name),
  JAVA_CLASS: text<string>(() => 'org.apache.ignite.internal.processors.query.h2.H2Utils'),
  JAVA_METHOD: text<string>(() => 'queryEngine'),
} as const;
const VARCHAR_CODE = 12;
const ANY_LENGTH = 2_147_483_647;

const FUNCTION_ALIASES = systemView<string>(SCHEMA, 'FUNCTION_ALIASES', '', igniteAlias, {
  ...ALIAS_COLUMNS,
  DATA_TYPE: int(() => VARCHAR_CODE),
  TYPE_NAME: text(() => 'VARCHAR'),
  COLUMN_COUNT: int(() => 0),
  RETURNS_RESULT: short(() => 2),
  REMARKS: text(() => ''),
  ID: int(() => 5),
  SOURCE: text(() => null),
});

const FUNCTION_COLUMNS = systemView<string>(SCHEMA, 'FUNCTION_COLUMNS', '', igniteAlias, {
  ...ALIAS_COLUMNS,
  COLUMN_COUNT: int(() => 0),
  POS: int(() => 0),
  COLUMN_NAME: text(() => 'P0'),
  DATA_TYPE: int(() => VARCHAR_CODE),
  TYPE_NAME: text(() => 'VARCHAR'),
  PRECISION: int(() => ANY_LENGTH),
  SCALE: short(() => 0),
  RADIX: short(() => 10),
  NULLABLE: short(() => 2),
  COLUMN_TYPE: short(() => 5),
  REMARKS: text(() => ''),
  COLUMN_DEFAULT: text(() => null),
});

export const INFORMATION_SYSTEM: readonly SystemView[] = [
  TYPES,
  SETTINGS,
  HELP,
  USERS,
  SESSIONS,
  ROLES,
  COLLATIONS,
  QUERY_STATISTICS,
  FUNCTION_ALIASES,
  FUNCTION_COLUMNS,
  ...EMPTY_TABLES.map(([name, columns]) => emptyView(SCHEMA, name, '', columns)),
];
