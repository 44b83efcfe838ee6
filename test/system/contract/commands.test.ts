/**
 * The rules of the contract over sockets, one line per rule. Titles end in the numbers of the rules that they prove;
 * docs/spec/rules.md is made from them.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { FIXTURE, type ServiceProcess, startService } from '../service-process.ts';

let service: ServiceProcess;

beforeAll(async () => {
  service = await startService({ args: ['--config', FIXTURE] });
}, 90_000);
afterAll(() => service[Symbol.asyncDispose]());

/** The expected error of a step: a part of its text. */
class Failure {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}
const fails = (text: string) => new Failure(text);
const holds = (members: Record<string, unknown>) => expect.objectContaining(members);

/** A request without `cmd=`, where `$c` is a new cache, and the expected response or error. */
type Step = readonly [request: string, expected: unknown];
type Rule = readonly [title: string, ...steps: readonly Step[]];

let caches = 0;

async function check([title, ...steps]: Rule): Promise<void> {
  const cache = `rule${++caches}`;
  if (steps.some(([request]) => request.includes('$c'))) await service.command(`cmd=getorcreate&cacheName=${cache}`);
  for (const [request, expected] of steps) {
    const answer = await service.send(`cmd=${request.replaceAll('$c', `cacheName=${cache}`)}`);
    if (expected instanceof Failure) {
      expect([title, request, answer.error]).toEqual([title, request, expect.stringContaining(expected.text)]);
      expect([answer.successStatus, answer.response]).toEqual([1, null]);
    } else {
      expect([title, request, answer.error, answer.response]).toEqual([title, request, null, expected]);
    }
  }
}

const CITY = 'create table if not exists City(id int primary key, name varchar) with "cache_name=city,value_type=City"';
const sql = (statement: string, further = '') => `qryfldexe&pageSize=10&qry=${encodeURIComponent(statement)}${further}`;
const typed = (type: string, text: string, response: unknown): Rule => [
  `a value of the type ${type} is read and written [2.2.2-2.2.14]`,
  [`put&$c&key=k&val=${encodeURIComponent(text)}&valueType=${type}`, true],
  ['get&$c&key=k', response],
  [`put&$c&key=${encodeURIComponent(text)}&keyType=${type}&val=v`, true],
  [`get&$c&key=${encodeURIComponent(text)}&keyType=${type}`, 'v'],
];

const UUID = 'e46b31c5-4fdd-4a93-b1c1-4a3a8f4f4f4f';
const NODE_MEMBERS = {
  nodeId: expect.any(String),
  consistentId: expect.any(String),
  tcpAddresses: expect.any(Array),
  tcpHostNames: expect.any(Array),
  tcpPort: expect.any(Number),
  replicaCount: expect.any(Number),
  defaultCacheMode: expect.any(String),
};
const PAGE = { items: expect.any(Array), fieldsMetadata: expect.any(Array), last: expect.any(Boolean) };
const TASK = { finished: true, error: '', id: expect.any(String) };

const RULES: readonly Rule[] = [
  // 1
  ['cmd selects the command [1.4]', ['version', expect.any(String)], ['state', 'ACTIVE']],
  [
    'values are strings by default [1.8, 2.2.1]',
    ['put&$c&key=1&val=2', true],
    ['get&$c&key=1', '2'],
    ['get&$c&key=1&keyType=int', null],
  ],
  [
    'keyType and valueType declare another type [1.9]',
    ['put&$c&key=1&keyType=long&val=2&valueType=int', true],
    ['get&$c&key=1&keyType=long', 2],
  ],
  [
    'the default cache is used when cacheName is omitted [1.11, 4.5]',
    ['put&key=omitted&val=1', true],
    ['get&cacheName=default&key=omitted', '1'],
    ['get&cacheName=&key=omitted', '1'],
  ],
  // 2.2
  typed('boolean', 'true', true),
  typed('byte', '-128', -128),
  typed('short', '32767', 32767),
  typed('integer', '2147483647', 2147483647),
  typed('int', '-5', -5),
  typed('long', '4503599627370497', 4503599627370497),
  typed('float', '1.5', 1.5),
  typed('double', '2.25', 2.25),
  typed('date', '2018-02-18', '2018-02-18'),
  typed('time', '01:02:03', '01:02:03'),
  typed('timestamp', '2018-02-18 01:02:03', '2018-02-18 01:02:03.0'),
  typed('uuid', UUID, UUID),
  typed('SvcUuid', `7e2d4f1c261-${UUID}`, `7e2d4f1c261-${UUID}`),
  [
    'a timestamp is accepted with %20 and with + between date and time [2.2.15]',
    ['put&$c&key=a&val=2018-02-18%2001:02:03&valueType=timestamp', true],
    ['put&$c&key=b&val=2018-02-18+01:02:03&valueType=timestamp', true],
    ['get&$c&key=a', '2018-02-18 01:02:03.0'],
    ['get&$c&key=b', '2018-02-18 01:02:03.0'],
  ],
  [
    'a text that is not a value of its type is rejected [2.2.21]',
    ['put&$c&key=a&val=x&valueType=int', fails('Failed to convert value to specified type [type=int, val=x')],
    ['put&$c&key=a&val=2018-02-30&valueType=date', fails('[type=date, val=2018-02-30')],
    ['conkey&$c&key=a', false],
  ],
  [
    'a value of a registered class has the fields of the class [2.2.17]',
    ['put&$c&key=a&val={"id":"7","name":"Ann","more":1}&valueType=RefNode$Person', true],
    ['get&$c&key=a', { id: 7, name: 'Ann', salary: 0 }],
  ],
  [
    'a value of a query entity has the types of the entity [2.2.18]',
    [
      'put&cacheName=employee&key=1&keyType=int&val={"id":"7","timestamp":"2018-02-18 01:02:03"}&valueType=Employee',
      true,
    ],
    ['get&cacheName=employee&key=1&keyType=int', { id: 7, timestamp: '2018-02-18 01:02:03.0' }],
    ['qryfldexe&cacheName=employee&pageSize=9&qry=select id, name from Employee', holds({ items: [[7, null]] })],
    ["qryfldexe&cacheName=employee&pageSize=9&qry=update Employee set name = 'Ann'", holds({ items: [[1]] })],
    ['get&cacheName=employee&key=1&keyType=int', { id: 7, timestamp: '2018-02-18 01:02:03.0', name: 'Ann' }],
    ['put&cacheName=employee&key=1&keyType=int&val={}&valueType=Employee', true],
    ['get&cacheName=employee&key=1&keyType=int', {}],
    ['rmv&cacheName=employee&key=1&keyType=int', true],
  ],
  [
    'a value of any other type follows JSON [2.2.16, 2.2.19]',
    ['put&$c&key=a&val={"s":"x","i":1,"b":true,"d":1.5}&valueType=Other', true],
    ['get&$c&key=a', { s: 'x', i: 1, b: true, d: 1.5 }],
  ],
  [
    'a key can be a custom type [2.2.20]',
    ['put&$c&key={"id":1}&keyType=Other&val=1', true],
    ['get&$c&key={"id":1}&keyType=Other', '1'],
  ],
  // 2.3
  [
    'cache returns seven metrics [2.3.1-2.3.7, 4.3.8]',
    ['put&$c&key=a&val=1', true],
    ['get&$c&key=a', '1'],
    ['get&$c&key=b', null],
    [
      'cache&$c',
      {
        createTime: expect.any(Number),
        readTime: expect.any(Number),
        writeTime: expect.any(Number),
        hits: 1,
        misses: 1,
        reads: 2,
        writes: 1,
      },
    ],
  ],
  // 2.4
  [
    'metadata returns types, classes, fields and indexes [2.4.1-2.4.6]',
    [sql(CITY), holds({ items: [[0]] })],
    [sql('create index if not exists city_name on City(name desc)'), holds({ items: [[0]] })],
    [
      'metadata&cacheName=city',
      {
        cacheName: 'city',
        types: ['City'],
        keyClasses: { City: 'java.lang.Integer' },
        valClasses: { City: 'java.lang.Object' },
        fields: {
          City: {
            _KEY: expect.any(String),
            _VAL: expect.any(String),
            ID: 'java.lang.Integer',
            NAME: 'java.lang.String',
          },
        },
        indexes: { City: [{ name: 'CITY_NAME', fields: ['NAME'], descendings: ['NAME'], unique: false }] },
      },
    ],
  ],
  // 2.4a
  [
    'a task result has error, finished, id and result [2.4a.1-2.4a.4, 3.3.1, 4.7.4]',
    ['exe&name=svc.echo&p1=hello', { ...TASK, result: 'hello' }],
  ],
  // 2.5
  ['top returns an array of node objects [4.2.9]', ['top', [holds(NODE_MEMBERS)]]],
  ['node returns one node object [2.5.1-2.5.7, 4.2.7]', ['node&ip=127.0.0.1', holds(NODE_MEMBERS)]],
  [
    'attributes and metrics are null unless asked for [2.5.8, 2.5.10]',
    ['node&ip=127.0.0.1', holds({ attributes: null, metrics: null })],
  ],
  [
    'attr=true adds the attributes [2.5.9, 4.2.6]',
    ['node&ip=127.0.0.1&attr=true', holds({ attributes: expect.any(Object), metrics: null })],
  ],
  ['mtr=true adds the metrics [2.5.11]', ['top&mtr=true', [holds({ metrics: expect.any(Object), attributes: null })]]],
  ['caches is true by default [2.5.12, 8.6]', ['top', [holds({ caches: expect.any(Array) })]]],
  ['caches=false omits the caches [2.5.13]', ['top&caches=false', [holds({ caches: null })]]],
  [
    'a cache descriptor has name and mode, and sqlSchema where there is one [2.5.14-2.5.16]',
    ['getorcreate&cacheName=replicated&templateName=REPLICATED', null],
    [sql(CITY), holds({ items: [[0]] })],
    [
      'top',
      [
        holds({
          caches: expect.arrayContaining([
            { name: '', mode: 'PARTITIONED', sqlSchema: 'PUBLIC' },
            { name: 'replicated', mode: 'REPLICATED', sqlSchema: null },
            { name: 'city', mode: 'PARTITIONED', sqlSchema: 'PUBLIC' },
          ]),
        }),
      ],
    ],
  ],
  // 2.6
  [
    'a field query returns arrays in select order, with field descriptors [2.6.3, 2.6.10]',
    [
      sql("select 1 as a, 'x' as b"),
      {
        ...PAGE,
        queryId: expect.any(Number),
        items: [[1, 'x']],
        last: true,
        fieldsMetadata: [
          { fieldName: 'A', fieldTypeName: 'java.lang.Integer', schemaName: '', typeName: '' },
          { fieldName: 'B', fieldTypeName: 'java.lang.String', schemaName: '', typeName: '' },
        ],
      },
    ],
  ],
  [
    'a scan returns keys and values, with descriptors key and value [2.6.2, 2.6.7]',
    ['put&$c&key=a&val=1', true],
    [
      'qryscanexe&$c&pageSize=10',
      holds({
        items: [{ key: 'a', value: '1' }],
        last: true,
        fieldsMetadata: ['key', 'value'].map((fieldName) => ({
          fieldName,
          fieldTypeName: '',
          schemaName: '',
          typeName: '',
        })),
      }),
    ],
  ],
  [
    'a type query returns keys and values without descriptors [2.6.1, 2.6.5, 4.8.4]',
    [sql(CITY), holds({ items: [[0]] })],
    [sql("merge into City values(1, 'Oslo')"), holds({ items: [[1]] })],
    [
      'qryexe&cacheName=city&type=City&pageSize=10&qry=name%3D%3F&arg1=Oslo',
      holds({ items: [{ key: 1, value: { NAME: 'Oslo' } }], fieldsMetadata: [], last: true }),
    ],
  ],
  // 3.1
  [
    'setstate changes the state and returns setstate done [3.1.1, 3.1.2, 4.2.4]',
    ['setstate&state=ACTIVE_READ_ONLY', 'setstate done'],
    ['state', 'ACTIVE_READ_ONLY'],
    ['setstate&state=ACTIVE', 'setstate done'],
    ['state', 'ACTIVE'],
  ],
  [
    'INACTIVE disables the caches and drops what is not persistent [3.1.3, 3.1.4]',
    ['put&$c&key=a&val=1', true],
    ['setstate&state=INACTIVE&force=true', 'setstate done'],
    ['state', 'INACTIVE'],
    ['get&$c&key=a', fails('the cluster is inactive')],
    ['setstate&state=ACTIVE', 'setstate done'],
    ['get&$c&key=a', null],
  ],
  // 4
  ['a command name is accepted in any letter case [4.3]', ['VERSION', expect.any(String)]],
  ['entry commands accept destId [4.6]', ['put&$c&key=a&val=1&destId=none', true], ['get&$c&key=a&destId=none', '1']],
  ['cmd=getall selects getall [4.7]', ['putall&$c&k1=a&v1=1', true], ['getall&$c&k1=a', { a: '1' }]],
  ['cmd=getrmv selects getrmv [4.8]', ['put&$c&key=a&val=1', true], ['getrmv&$c&key=a', '1']],
  ['cmd=conkeys selects conkeys [4.9]', ['putall&$c&k1=a&v1=1', true], ['conkeys&$c&k1=a', true]],
  // 4.2
  ['version returns a string [4.2.1, 9.1]', ['version', expect.stringMatching(/^\d+\.\d+\.\d+/)]],
  ['state returns the name of the state [4.2.2]', ['state', 'ACTIVE']],
  ['setstate needs a state [4.2.3]', ['setstate', fails("State can't be null.")], ['setstate&state=ON', fails('=ON')]],
  [
    'node needs ip or id [4.2.5]',
    ['node', fails('either id or ip should be specified')],
    ['node&ip=127.0.0.1', holds(NODE_MEMBERS)],
  ],
  [
    'top accepts the parameters of node [4.2.8]',
    ['top&ip=127.0.0.1&attr=false&mtr=false&caches=false', [holds(NODE_MEMBERS)]],
  ],
  ['log returns an array of lines [4.2.10]', ['log', expect.any(Array)], ['log&lines=1', [expect.any(String)]]],
  [
    'log needs from and to [4.2.11]',
    ['log&from=0', fails("'to' is not set")],
    ['log&to=1', fails("'from' is not set")],
  ],
  ['log accepts a path in the log folder only [4.2.12]', ['log&path=../x', fails('File path is not allowed')]],
  // 4.3
  [
    'getorcreate creates a cache unless it exists and returns null [4.3.1, 4.3.2]',
    ['getorcreate&cacheName=made&backups=1', null],
    ['put&cacheName=made&key=a&val=1', true],
    ['getorcreate&cacheName=made', null],
    ['get&cacheName=made&key=a', '1'],
  ],
  [
    'getorcreate accepts a data region [4.3.3]',
    ['getorcreate&cacheName=r1&dataRegion=default', null],
    ['getorcreate&cacheName=r2&dataRegion=none', fails('data region')],
  ],
  [
    'getorcreate accepts a template [4.3.4]',
    ['getorcreate&cacheName=t1&templateName=REPLICATED', null],
    ['getorcreate&cacheName=t2&templateName=none', fails('template')],
  ],
  [
    'getorcreate accepts a cache group [4.3.5]',
    ['getorcreate&cacheName=g1&cacheGroup=g', null],
    ['getorcreate&cacheName=g2&cacheGroup=g', null],
  ],
  [
    'getorcreate accepts three write synchronization modes [4.3.6]',
    ['getorcreate&cacheName=w1&writeSynchronizationMode=FULL_SYNC', null],
    ['getorcreate&cacheName=w2&writeSynchronizationMode=FULL_ASYNC', null],
    ['getorcreate&cacheName=w3&writeSynchronizationMode=PRIMARY_SYNC', null],
    ['getorcreate&cacheName=w4&writeSynchronizationMode=SYNC', fails('writeSynchronizationMode=SYNC')],
  ],
  [
    'destcache destroys the cache and returns null [4.3.7]',
    ['put&$c&key=a&val=1', true],
    ['destcache&$c', null],
    ['get&$c&key=a', fails('Failed to find cache')],
    ['destcache&$c', null],
  ],
  ['size returns the number of entries [4.3.9]', ['putall&$c&k1=a&v1=1&k2=b&v2=2', true], ['size&$c', 2]],
  [
    'metadata describes the default cache [4.3.10]',
    ['metadata', holds({ cacheName: 'default', types: expect.any(Array) })],
  ],
  // 4.4
  ['incr adds delta and returns the value [4.4.1]', ['incr&key=i1&delta=5', 5], ['incr&key=i1&delta=-2', 3]],
  ['incr begins with init [4.4.2]', ['incr&key=i2&init=10&delta=1', 11], ['incr&key=i2&init=90&delta=1', 12]],
  ['incr needs key and delta [4.4.3]', ['incr&delta=1', fails(': key')], ['incr&key=i3', fails(': delta')]],
  ['incr accepts a cacheName [4.4.4]', ['incr&cacheName=any&key=i4&delta=1', 1]],
  ['decr subtracts delta and returns the value [4.4.5]', ['decr&key=d1&delta=5', -5], ['decr&key=d1&delta=-2', -3]],
  ['decr begins with init [4.4.6]', ['decr&key=d2&init=10&delta=1', 9]],
  ['decr needs key and delta [4.4.7]', ['decr&delta=1', fails(': key')], ['decr&key=d3', fails(': delta')]],
  // 4.5
  ['get returns a value [2.1.5, 4.5.1]', ['put&$c&key=a&val=1', true], ['get&$c&key=a', '1'], ['get&$c&key=b', null]],
  [
    'put stores an entry and returns true [4.5.2]',
    ['put&$c&key=a&val=1', true],
    ['put&$c&key=a&val=2', true],
    ['get&$c&key=a', '2'],
  ],
  [
    'add stores only if there is no entry [4.5.3]',
    ['add&$c&key=a&val=1', true],
    ['add&$c&key=a&val=2', false],
    ['get&$c&key=a', '1'],
  ],
  [
    'putifabs stores only if there is no entry [4.5.4]',
    ['putifabs&$c&key=a&val=1', true],
    ['putifabs&$c&key=a&val=2', false],
    ['get&$c&key=a', '1'],
  ],
  [
    'getput stores and returns the previous value [4.5.5]',
    ['getput&$c&key=a&val=1', null],
    ['getput&$c&key=a&val=2', '1'],
    ['get&$c&key=a', '2'],
  ],
  [
    'getputifabs stores only if there is no entry, and returns the existing value [4.5.6]',
    ['getputifabs&$c&key=a&val=1', null],
    ['getputifabs&$c&key=a&val=2', '1'],
    ['get&$c&key=a', '1'],
  ],
  [
    'rep replaces an existing value [4.5.7]',
    ['rep&$c&key=a&val=1', false],
    ['put&$c&key=a&val=1', true],
    ['rep&$c&key=a&val=2', true],
    ['get&$c&key=a', '2'],
  ],
  [
    'getrep replaces an existing value and returns the old one [4.5.8]',
    ['getrep&$c&key=a&val=1', null],
    ['conkey&$c&key=a', false],
    ['put&$c&key=a&val=1', true],
    ['getrep&$c&key=a&val=2', '1'],
    ['get&$c&key=a', '2'],
  ],
  [
    'repval replaces the expected value [4.5.9]',
    ['put&$c&key=a&val=1', true],
    ['repval&$c&key=a&val=2&val2=9', false],
    ['repval&$c&key=a&val=2&val2=1', true],
    ['get&$c&key=a', '2'],
  ],
  [
    'cas stores over the expected value [4.5.10]',
    ['put&$c&key=a&val=1', true],
    ['cas&$c&key=a&val=2&val2=9', false],
    ['cas&$c&key=a&val=2&val2=1', true],
    ['get&$c&key=a', '2'],
  ],
  [
    'append adds a suffix [4.5.11]',
    ['put&$c&key=a&val=1', true],
    ['append&$c&key=a&val=2', true],
    ['get&$c&key=a', '12'],
    ['append&$c&key=b&val=2', false],
  ],
  [
    'prepend adds a prefix [4.5.12]',
    ['put&$c&key=a&val=1', true],
    ['prepend&$c&key=a&val=2', true],
    ['get&$c&key=a', '21'],
    ['prepend&$c&key=b&val=2', false],
  ],
  [
    'rmv removes an entry [4.5.13]',
    ['put&$c&key=a&val=1', true],
    ['rmv&$c&key=a', true],
    ['rmv&$c&key=a', false],
    ['get&$c&key=a', null],
  ],
  [
    'getrmv removes an entry and returns its value [4.5.14]',
    ['put&$c&key=a&val=1', true],
    ['getrmv&$c&key=a', '1'],
    ['getrmv&$c&key=a', null],
  ],
  [
    'rmvval removes the expected value [4.5.15]',
    ['put&$c&key=a&val=1', true],
    ['rmvval&$c&key=a&val=2', false],
    ['rmvval&$c&key=a&val=1', true],
    ['rmvval&$c&key=a&val=1', false],
  ],
  [
    'conkey reports whether there is an entry [4.5.16]',
    ['conkey&$c&key=a', false],
    ['put&$c&key=a&val=1', true],
    ['conkey&$c&key=a', true],
  ],
  ...[
    'get',
    'put',
    'add',
    'putifabs',
    'getput',
    'getputifabs',
    'rep',
    'getrep',
    'repval',
    'cas',
    'append',
    'prepend',
    'rmv',
    'getrmv',
    'rmvval',
    'conkey',
  ].map(
    (cmd): Rule => [
      `${cmd} needs a key [4.5.17-4.5.32]`,
      [`${cmd}&$c&val=1&val2=1`, fails('mandatory parameter in request: key')],
    ],
  ),
  ...[
    'put',
    'add',
    'putifabs',
    'getput',
    'getputifabs',
    'rep',
    'getrep',
    'repval',
    'cas',
    'append',
    'prepend',
    'rmvval',
  ].map(
    (cmd): Rule => [
      `${cmd} needs a value [4.5.33-4.5.44]`,
      [`${cmd}&$c&key=a&val2=1`, fails('mandatory parameter in request: val')],
    ],
  ),
  [
    'repval and cas need the expected value [4.5.45, 4.5.46]',
    ['repval&$c&key=a&val=1', fails('cannot be null: val2')],
    ['cas&$c&key=a&val=1', fails('request: val2')],
  ],
  // 4.6
  [
    'getall returns an object of keys and values [4.6.3]',
    ['putall&$c&k1=a&v1=1&k2=b&v2=2', true],
    ['getall&$c&k1=a&k2=b&k3=c', { a: '1', b: '2' }],
  ],
  [
    'getall returns an array where it is asked for',
    ['putall&$c&k1=a&v1=1', true],
    ['getall&$c&k1=a&asArray=true', [{ key: 'a', value: '1' }]],
  ],
  ['putall stores all entries [4.6.2, 4.6.5]', ['putall&$c&k1=a&v1=1&k2=b&v2=2', true], ['get&$c&key=b', '2']],
  [
    'rmvall removes the given entries [4.6.6]',
    ['putall&$c&k1=a&v1=1&k2=b&v2=2&k3=c&v3=3', true],
    ['rmvall&$c&k1=a&k2=b', true],
    ['size&$c', 1],
  ],
  [
    'conkeys reports whether all keys exist [4.6.7]',
    ['putall&$c&k1=a&v1=1', true],
    ['conkeys&$c&k1=a', true],
    ['conkeys&$c&k1=a&k2=b', false],
  ],
  [
    'bulk commands need keys [4.6.8]',
    ['getall&$c', fails('send k1')],
    ['putall&$c', fails('send k1')],
    ['rmvall&$c', fails('send k1')],
    ['conkeys&$c', fails('send k1')],
  ],
  ['putall needs a value for each key [4.6.9]', ['putall&$c&k1=a', fails('null values are not allowed')]],
  [
    'a gap in numbered parameters is rejected [4.6.1]',
    ['getall&$c&k1=a&k3=b', fails('request: k2')],
    ['exe&name=svc.echo&p2=a', fails('request: p1')],
  ],
  // 4.7
  ['exe runs a task with its arguments [4.7.2]', ['exe&name=svc.echo&p1=a&p2=b', holds({ result: ['a', 'b'] })]],
  ['exe needs a name [4.7.1]', ['exe', fails('request: name')]],
  [
    'exe starts a task with async=true [3.3.2, 4.7.3]',
    ['exe&name=svc.echo&p1=a&async=true', holds({ finished: false, result: null, error: '' })],
  ],
  ['res needs an id [4.7.5]', ['res', fails('request: id')]],
  // 4.8
  [
    'qryexe needs a type, a page size and a condition [4.8.1]',
    ['qryexe&type=City&qry=1', fails('pageSize')],
    ['qryexe&pageSize=1&qry=1', fails('type')],
    ['qryexe&type=City&pageSize=1', fails('send qry')],
  ],
  [
    'qryfldexe needs a page size and a statement [4.8.2]',
    ['qryfldexe&qry=select%201', fails('pageSize')],
    ['qryfldexe&pageSize=1', fails('send qry')],
  ],
  ['arguments are numbered [4.8.3]', [sql('select ?, ?', '&arg1=a&arg2=b'), holds({ items: [['a', 'b']] })]],
  ['qryscanexe needs a page size [4.8.5]', ['qryscanexe', fails('pageSize')]],
  [
    'qryscanexe accepts a predicate by its class name [4.8.6]',
    ['qryscanexe&pageSize=1&className=none', fails('Failed to find target class: none')],
  ],
  [
    'qryfetch needs a page size and an id [4.8.7]',
    ['qryfetch&pageSize=1', fails('qryId')],
    ['qryfetch&qryId=1', fails('pageSize')],
  ],
  ['qrycls needs an id and returns true [4.8.8]', ['qrycls', fails('qryId')], ['qrycls&qryId=99999', true]],
  // 7
  ['an unknown command names the nearest one [7.5]', ['verison', fails('Did you mean version?')]],
  [
    'an unknown cache is an error [7.4]',
    ['get&cacheName=none&key=a', fails('Failed to find cache for given cache name: none')],
  ],
  ['a misspelt parameter is an error [7.6]', ['get&kye=a', fails('Unknown parameter "kye". Did you mean "key"?')]],
  ['a flag is true or false [7.7]', ['top&mtr=1', fails('Failed to parse parameter of Boolean type [mtr=1]')]],
  [
    'a deadline is removed by updatettl with exp=0',
    ['put&$c&key=a&val=1&exp=60000', true],
    ['updatettl&$c&key=a&exp=0', true],
  ],
];

describe('the contract', () => {
  for (const rule of RULES) test(rule[0], () => check(rule));
});
