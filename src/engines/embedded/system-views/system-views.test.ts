import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openSqlGrid, type SqlGrid } from '../../../../test/fixtures/embedded/sql-grid.ts';
import { countersOf, entriesOf } from '../../../../test/grid/entry-methods.ts';
import type { ServiceInfo } from './service-info.ts';
import { createSystemViews, needsServiceInfo, SYSTEM_VIEWS } from './system-views.ts';

/** The data of a service. */
const SERVICE: ServiceInfo = {
  addresses: ['127.0.0.1', '::1'],
  hostNames: ['host'],
  nodeMetrics: { totalCpus: 2, upTime: 1234, startTime: 1_600_000_000_000, currentCpuLoad: 1 },
  nodeAttributes: { 'os.name': 'Linux', ips: ['a', 'b'] },
  settings: { 'http.port': '8080' },
  metrics: { 'requests.total': 7 },
  queries: [{ id: 5, sql: 'SELECT 1', schema: 'PUBLIC', startedAtMs: 1_600_000_000_000, owner: 'ann' }],
  tasks: [{ id: 't1', name: 'sum', startedAtMs: 5, endedAtMs: 0, owner: 'ann' }],
  connections: [
    { id: 1, localAddress: '127.0.0.1:8080', remoteAddress: '127.0.0.1:5', type: 'HTTP', user: 'ann', version: null },
  ],
  users: [{ name: 'ann', administrator: true }],
};

let sql: SqlGrid;

beforeAll(async () => {
  sql = await openSqlGrid(
    {
      regions: [{ name: 'memory', persistent: false, maxSizeBytes: 10_000_000 }],
      caches: [
        {
          name: 'person',
          backups: 1,
          entities: [
            {
              keyType: 'integer',
              valueType: 'org.example.Person',
              tableName: 'Person',
              fields: [
                { name: 'name', type: { kind: 'scalar', type: 'string' } },
                { name: 'salary', type: { kind: 'scalar', type: 'double' }, alias: 'pay' },
              ],
              indexes: [{ fields: [{ name: 'salary', descending: true }] }],
            },
          ],
        },
        { name: 'one', group: 'g', region: 'memory' },
        { name: 'two', group: 'g', region: 'memory' },
      ],
    },
    createSystemViews(() => SERVICE),
  );
  for (const statement of [
    'CREATE TABLE t (a INT, b VARCHAR(20), v INT NOT NULL DEFAULT 5, n DECIMAL(10,2), "x y" UUID, PRIMARY KEY (a, b)) ' +
      'WITH "cache_name=tc,key_type=K,value_type=V"',
    'CREATE TABLE s (id BIGINT PRIMARY KEY, ts TIMESTAMP)',
    'CREATE INDEX ix ON t (v DESC, n)',
    'CREATE VIEW w AS SELECT a, n AS amount FROM t',
    "INSERT INTO t (a, b) VALUES (1, 'x'), (2, 'y')",
  ])
    await sql.run(statement);
  await entriesOf(sql.grid).put('one', { type: 'integer', data: 1 }, { type: 'integer', data: 1 }, 60_000n);
  await entriesOf(sql.grid).get('one', { type: 'integer', data: 2 });
  await countersOf(sql.grid).add('hits', 3n, 0n);
  await countersOf(sql.grid).add('big', 9_007_199_254_740_993n, 0n);
});

afterAll(() => sql.close());

/** Statements and the rows that they return. */
const STATEMENTS: ReadonlyArray<readonly [title: string, statement: string, json: string]> = [
  [
    'tables that a tool may list',
    `SELECT table_schema, table_name FROM information_schema.tables
     WHERE table_schema NOT IN ('INFORMATION_SCHEMA', 'SYS') ORDER BY 1, 2 -- listed`,
    '[["PUBLIC","S"],["PUBLIC","T"],["PUBLIC","W"],["person","PERSON"]]',
  ],
  [
    'kinds of tables',
    `SELECT table_name, table_type, storage_type, row_count_estimate FROM information_schema.tables
     WHERE table_name IN ('T', 'W', 'CACHES', 'COLUMNS') ORDER BY 1`,
    '[["CACHES","VIEW","MEMORY",100],["COLUMNS","SYSTEM TABLE","CACHED",1000],["T","TABLE","CACHED",2],["W","VIEW","CACHED",0]]',
  ],
  [
    'the statement that creates a table',
    `SELECT sql FROM information_schema.tables WHERE table_name = 'T'`,
    '[["CREATE TABLE PUBLIC.T(\\n    A INTEGER,\\n    B VARCHAR(20),\\n    V INTEGER NOT NULL,\\n    N DECIMAL(10, 2),' +
      '\\n    \\"x y\\" UUID,\\n    PRIMARY KEY (A, B)\\n)"]]',
  ],
  [
    'columns with their JDBC types',
    `SELECT column_name, ordinal_position, column_default, is_nullable, data_type, numeric_precision, numeric_scale,
       type_name, column_type
     FROM information_schema.columns WHERE table_name = 'T' ORDER BY ordinal_position`,
    '[["_KEY",1,null,"NO",1111,2147483647,0,"OTHER","OTHER INVISIBLE  NOT NULL"],' +
      '["_VAL",2,null,"YES",1111,2147483647,0,"OTHER","OTHER INVISIBLE "],' +
      '["A",3,null,"YES",4,10,0,"INTEGER","INTEGER"],["B",4,null,"YES",12,20,0,"VARCHAR","VARCHAR(20)"],' +
      '["V",5,"5","NO",4,10,0,"INTEGER","INTEGER NOT NULL"],["N",6,null,"YES",3,10,2,"DECIMAL","DECIMAL(10, 2)"],' +
      '["x y",7,null,"YES",-2,2147483647,0,"UUID","UUID"]]',
  ],
  [
    'columns of a view',
    `SELECT column_name, type_name FROM information_schema.columns WHERE table_name = 'W' ORDER BY ordinal_position`,
    '[["A","INTEGER"],["AMOUNT","DECIMAL"]]',
  ],
  [
    'columns of an alias, and of a system view',
    `SELECT table_name, column_name, type_name FROM information_schema.columns
     WHERE table_name IN ('PERSON', 'BASELINE_NODES') AND column_name NOT LIKE '\\_%' ORDER BY 1, ordinal_position`,
    '[["BASELINE_NODES","CONSISTENT_ID","VARCHAR"],["BASELINE_NODES","ONLINE","BOOLEAN"],["PERSON","NAME","VARCHAR"],' +
      '["PERSON","PAY","DOUBLE"]]',
  ],
  [
    'columns of the indexes of a schema',
    `SELECT index_name, ordinal_position, column_name, non_unique, primary_key, asc_or_desc
     FROM information_schema.indexes WHERE table_name IN ('T', 'PERSON') ORDER BY table_name, index_name, 2`,
    '[["PERSON_SALARY_DESC_IDX",1,"PAY",true,false,"D"],["_key_PK",1,"_KEY",false,true,"A"],["IX",1,"V",true,false,"D"],' +
      '["IX",2,"N",true,false,"A"],["_key_PK",1,"A",false,true,"A"],["_key_PK",2,"B",false,true,"A"]]',
  ],
  [
    'primary keys as constraints',
    `SELECT constraint_name, constraint_type, table_name, column_list FROM information_schema.constraints ORDER BY 3`,
    '[["PERSON_PK","PRIMARY KEY","PERSON","_KEY"],["S_PK","PRIMARY KEY","S","ID"],["T_PK","PRIMARY KEY","T","A,B"]]',
  ],
  [
    'columns of keys, joined with their constraints',
    `SELECT k.column_name FROM information_schema.table_constraints c JOIN information_schema.key_column_usage k
     ON c.constraint_name = k.constraint_name AND c.table_name = k.table_name
     WHERE c.table_name = 'T' AND c.constraint_type = 'PRIMARY KEY' ORDER BY k.ordinal_position`,
    '[["A"],["B"]]',
  ],
  [
    'schemas',
    `SELECT schema_name, is_default FROM information_schema.schemata ORDER BY 1`,
    '[["INFORMATION_SCHEMA",false],["PUBLIC",true],["SYS",false],["person",false]]',
  ],
  [
    'views with their definition',
    `SELECT table_name, view_definition, status FROM information_schema.views`,
    '[["W","CREATE VIEW PUBLIC.W(A, AMOUNT) AS\\nSELECT a, n AS amount FROM t","VALID"]]',
  ],
  [
    'types that a column may have',
    `SELECT type_name, data_type FROM information_schema.type_info WHERE type_name IN ('UUID', 'DECIMAL') ORDER BY 1`,
    '[["DECIMAL",3],["UUID",-2]]',
  ],
  [
    'settings of the dialect',
    `SELECT value FROM information_schema.settings WHERE name = 'info.VERSION_MINOR'`,
    '[["4"]]',
  ],
  [
    'functions with their syntax',
    `SELECT section, syntax FROM information_schema.help WHERE topic = 'ABS'`,
    '[["Functions (Numeric)","ABS(argument1)"]]',
  ],
  ['users of the service', 'SELECT name, admin FROM information_schema.users', '[["ann","true"]]'],
  ['a feature that the dialect lacks', 'SELECT count(*) FROM information_schema.triggers', '[[0]]'],
  [
    'caches with the hash of their name',
    `SELECT cache_name, cache_id, cache_mode, backups, cache_group_name, data_region_name, sql_schema,
       has_expiring_entries
     FROM sys.caches ORDER BY 1`,
    '[["SQL_PUBLIC_S",-1578586258,"PARTITIONED",0,"SQL_PUBLIC_S","default","PUBLIC","No"],' +
      '["default",1544803905,"PARTITIONED",0,"default","default","PUBLIC","No"],' +
      '["one",110182,"PARTITIONED",0,"g","memory",null,"Yes"],' +
      '["person",-991716523,"PARTITIONED",1,"person","default","person","No"],' +
      '["tc",3695,"PARTITIONED",0,"tc","default","PUBLIC","No"],["two",115276,"PARTITIONED",0,"g","memory",null,"No"]]',
  ],
  [
    'groups that caches share',
    `SELECT cache_group_name, cache_count, is_shared, partitions_count FROM sys.cache_groups
     WHERE data_region_name = 'memory'`,
    '[["g",2,true,1]]',
  ],
  [
    'the node of the partition of each group',
    `SELECT count(*) FROM sys.partition_states p JOIN sys.nodes n ON p.node_id = n.node_id WHERE p.is_primary`,
    '[[5]]',
  ],
  [
    'tables with the types of their caches',
    `SELECT table_name, cache_name, schema_name, key_alias, key_type_name, value_type_name FROM sys.tables
     WHERE table_name <> 'S' ORDER BY 1`,
    '[["PERSON","person","person",null,"java.lang.Integer","org.example.Person"],["T","tc","PUBLIC",null,"K","V"]]',
  ],
  [
    'columns with their Java classes',
    `SELECT column_name, default_value, nullable, pk, precision, scale, type FROM sys.table_columns
     WHERE table_name = 'T'`,
    '[["_KEY",null,false,true,-1,-1,"java.lang.Object"],["_VAL",null,false,false,-1,-1,"java.lang.Object"],' +
      '["A",null,true,true,-1,-1,"java.lang.Integer"],["B",null,true,true,20,-1,"java.lang.String"],' +
      '["V","5",false,false,-1,-1,"java.lang.Integer"],["N",null,true,false,10,2,"java.math.BigDecimal"],' +
      '["x y",null,true,false,-1,-1,"java.util.UUID"]]',
  ],
  [
    'indexes with the key that SQLite appends',
    `SELECT index_name, columns, is_pk, is_unique FROM sys.indexes WHERE table_name = 'T' ORDER BY 1`,
    '[["IX","\\"V\\" DESC, \\"N\\" ASC, \\"A\\" ASC, \\"B\\" ASC",false,false],' +
      '["_key_PK","\\"A\\" ASC, \\"B\\" ASC",true,true]]',
  ],
  [
    'schemas of the grid',
    'SELECT schema_name, predefined FROM sys.schemas ORDER BY 1',
    '[["INFORMATION_SCHEMA",true],["PUBLIC",true],["SYS",true],["person",false]]',
  ],
  [
    'views of users and of the grid',
    `SELECT schema, name, sql FROM sys.views WHERE name IN ('W', 'NODES') ORDER BY 2`,
    '[["SYS","NODES",null],["PUBLIC","W","SELECT a, n AS amount FROM t"]]',
  ],
  [
    'columns of a view with the type names of Ignite',
    `SELECT column_name, type, nullable FROM sys.view_columns WHERE view_name IN ('DS_ATOMICLONGS', 'W')
     ORDER BY view_name, column_name`,
    '[["GROUP_ID","int",false],["GROUP_NAME","java.lang.String",true],["NAME","java.lang.String",true],' +
      '["REMOVED","boolean",false],["VALUE","long",false],["A","java.lang.Integer",true],' +
      '["AMOUNT","java.math.BigDecimal",true]]',
  ],
  [
    'types of objects with their declared fields',
    `SELECT type_name, fields_count, fields FROM sys.binary_metadata WHERE type_name NOT LIKE 'SQL_PUBLIC%' ORDER BY 1`,
    '[["K",2,"[A, B]"],["V",3,"[V, N, x y]"],["org.example.Person",2,"[name, salary]"]]',
  ],
  [
    'the node with the addresses of the service',
    'SELECT consistent_id = (SELECT consistent_id FROM sys.baseline_nodes), version, addresses, is_local FROM sys.nodes',
    '[[true,"1.0.0","[127.0.0.1, ::1]",true]]',
  ],
  [
    'metrics of the node',
    'SELECT total_cpu, uptime, cur_cpu_load, jvm_start_time, max_active_jobs FROM sys.node_metrics',
    '[[2,1234,1.0,"2020-09-13 12:26:40.0",0]]',
  ],
  [
    'attributes of the node',
    'SELECT name, value FROM sys.node_attributes ORDER BY 1',
    '[["ips","[a, b]"],["os.name","Linux"]]',
  ],
  [
    'settings of the engine and of the service',
    `SELECT name, value FROM sys.configuration
     WHERE name IN ('IgniteInstanceName', 'http.port', 'CacheConfiguration[0].Name')
       OR name LIKE 'DataStorageConfiguration.DataRegionConfigurations[1]%' ORDER BY 1`,
    '[["CacheConfiguration[0].Name","person"],' +
      '["DataStorageConfiguration.DataRegionConfigurations[1].MaxSize","10000000"],' +
      '["DataStorageConfiguration.DataRegionConfigurations[1].Name","memory"],' +
      '["DataStorageConfiguration.DataRegionConfigurations[1].PersistenceEnabled","false"],' +
      '["IgniteInstanceName","test"],["http.port","8080"]]',
  ],
  [
    'metrics of caches, regions and the service',
    `SELECT name, value FROM sys.metrics WHERE name IN ('cache.one.CacheMisses', 'cache.one.CacheSize',
       'io.dataregion.memory.PageSize', 'requests.total', 'ignite.clusterState') ORDER BY 1`,
    '[["cache.one.CacheMisses","1"],["cache.one.CacheSize","1"],["ignite.clusterState","ACTIVE"],' +
      '["io.dataregion.memory.PageSize","4096"],["requests.total","7"]]',
  ],
  [
    'counters to the last digit',
    'SELECT name, value, group_name FROM sys.ds_atomiclongs ORDER BY 1',
    '[["big",9007199254740993,"default-ds-group"],["hits",3,"default-ds-group"]]',
  ],
  [
    'queries of the service',
    'SELECT sql, start_time, initiator_id, duration > 0 FROM sys.sql_queries',
    '[["SELECT 1","2020-09-13 12:26:40.0","ann",true]]',
  ],
  ['tasks of the service', 'SELECT id, task_name, start_time FROM sys.tasks', '[["t1","sum",5]]'],
  ['connections of the service', 'SELECT type, "USER" FROM sys.client_connections', '[["HTTP","ann"]]'],
  [
    'division of metrics with and without a fraction',
    'SELECT cur_cpu_load / 2, total_cpu / 4 FROM sys.node_metrics',
    '[[0.5,0]]',
  ],
];

describe('system views', () => {
  test.each(STATEMENTS)('%s', async (_title, statement, json) => {
    expect((await sql.run(statement)).json).toBe(json);
  });

  test('every view returns the columns that it declares', async () => {
    for (const view of SYSTEM_VIEWS) {
      const { columns } = await sql.run(`SELECT * FROM ${view.schema}.${view.name}`);
      expect(columns.map(({ fieldName }) => fieldName)).toEqual(view.columns.map(({ name }) => name));
    }
  });

  test('only views of the service request its data', () => {
    let requests = 0;
    const tables = createSystemViews(() => {
      requests++;
      return SERVICE;
    })(sql.catalog);
    for (const table of tables) {
      const before = requests;
      table.rows();
      expect([table.name, requests > before]).toEqual([table.name, needsServiceInfo(table)]);
    }
  });

  test('no view fails while the cluster is inactive', async () => {
    await sql.grid.cluster.setState('INACTIVE', true);
    try {
      for (const table of sql.catalog.virtualTables()) expect(table.rows()).toBeArray();
    } finally {
      await sql.grid.cluster.setState('ACTIVE', true);
    }
  });
});

describe('metadata as Ignite lists it', () => {
  let ignite: SqlGrid;
  beforeAll(async () => {
    ignite = await openSqlGrid(
      {},
      createSystemViews(() => SERVICE, true),
    );
    for (const statement of [
      "CREATE TABLE city (id INT PRIMARY KEY, name VARCHAR(50) NOT NULL, note VARCHAR DEFAULT 'none')",
      'CREATE INDEX city_name ON city (name)',
      'CREATE TABLE sale (id BIGINT, city_id INT, amount DOUBLE, PRIMARY KEY (id, city_id)) WITH "affinity_key=city_id"',
      'CREATE INDEX sale_amount ON sale (amount DESC)',
    ])
      await ignite.run(statement);
  });
  afterAll(() => ignite.close());

  test.each([
    [
      'SELECT index_name, columns, is_pk, is_unique FROM sys.indexes ORDER BY table_name, index_name',
      String.raw`[["CITY_NAME","\"NAME\" ASC, \"_KEY\" ASC",false,false],["CITY_NAME_proxy","\"NAME\" ASC, \"ID\" ASC",false,false],` +
        String.raw`["_key_PK","\"_KEY\" ASC",true,true],["_key_PK_proxy","\"ID\" ASC",false,true],` +
        String.raw`["AFFINITY_KEY","\"CITY_ID\" ASC, \"ID\" ASC",false,false],` +
        String.raw`["SALE_AMOUNT","\"AMOUNT\" DESC, \"ID\" ASC, \"CITY_ID\" ASC",false,false],` +
        String.raw`["_key_PK","\"ID\" ASC, \"CITY_ID\" ASC",true,true]]`,
    ],
    [
      `SELECT index_name, ordinal_position, column_name, non_unique, primary_key, index_type_name, constraint_name
       FROM information_schema.indexes WHERE table_name = 'CITY' ORDER BY index_name, ordinal_position`,
      '[["CITY_NAME",1,"NAME",true,false,"INDEX",null],["CITY_NAME",2,"_KEY",true,false,"INDEX",null],' +
        '["CITY_NAME_proxy",1,"NAME",true,false,"INDEX",null],["CITY_NAME_proxy",2,"ID",true,false,"INDEX",null],' +
        '["_key_PK",1,"_KEY",false,true,"PRIMARY KEY",null],["_key_PK_hash",1,"_KEY",false,true,"PRIMARY KEY HASH",null],' +
        '["_key_PK_proxy",1,"ID",true,false,"INDEX",null]]',
    ],
    [
      `SELECT column_name, is_nullable, column_default, column_type FROM information_schema.columns
       WHERE table_name = 'CITY' ORDER BY ordinal_position`,
      '[["_KEY","NO",null,"INTEGER INVISIBLE  NOT NULL"],["_VAL","YES",null,"OTHER INVISIBLE "],' +
        '["ID","YES",null,"INTEGER"],["NAME","NO",null,"VARCHAR(50) NOT NULL"],["NOTE","YES",null,"VARCHAR"]]',
    ],
    [
      `SELECT column_name, nullable, affinity_column, default_value FROM sys.table_columns WHERE table_name = 'CITY'
       ORDER BY column_name`,
      '[["ID",true,true,null],["NAME",false,false,null],["NOTE",true,false,"none"],["_KEY",false,true,null],' +
        '["_VAL",false,false,null]]',
    ],
    ['SELECT COUNT(*) FROM information_schema.constraints', '[[0]]'],
    ['SELECT COUNT(*) FROM information_schema.table_constraints', '[[0]]'],
    ['SELECT COUNT(*) FROM information_schema.key_column_usage', '[[0]]'],
  ])('%s', async (statement, rows) => {
    expect((await ignite.run(statement)).json).toBe(rows);
  });
});
