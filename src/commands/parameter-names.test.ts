/** The names of parameters: misspelt ones, undeclared ones, and gaps in numbered ones. */
import { describe, expect, test } from 'bun:test';
import {
  commandCases,
  compatibilityCases,
  failsWith,
  openTestService,
  type TestServiceOptions,
} from '../../test/test-service.ts';
import { COMMANDS } from './registry.ts';

/** A misspelt name of a parameter of the command, and the declared name that the error suggests. */
const MISSPELT: ReadonlyArray<readonly [request: string, given: string, meant: string]> = [
  ['destcache cachename=x', 'cachename', 'cacheName'],
  ['destcache caceName=x', 'caceName', 'cacheName'],
  ['destcache CACHENAME=x', 'CACHENAME', 'cacheName'],
  ['destcache cacheNames=x', 'cacheNames', 'cacheName'],
  ['destcache cahceName=x', 'cahceName', 'cacheName'],
  ['destcache cache_name=x', 'cache_name', 'cacheName'],
  ['destcache cache=x', 'cache', 'cacheName'],
  ['destcache name=x', 'name', 'cacheName'],
  ['destcache Name=x', 'Name', 'cacheName'],
  ['clear cache=x', 'cache', 'cacheName'],
  ['export tabel=x', 'tabel', 'table'],
  ['export tableName=x', 'tableName', 'table'],
  ['getorcreate template=REPLICATED', 'template', 'templateName'],
  ['getorcreate cacheName=c region=r', 'region', 'dataRegion'],
  ['put key=a val=1 type=int', 'type', 'keyType'],
  ['qryfldexe page=1 qry=select%201', 'page', 'pageSize'],
  ['qryfldexe size=1 qry=select%201', 'size', 'pageSize'],
  ['getorcreate backup=1', 'backup', 'backups'],
  ['getorcreate Backups=1', 'Backups', 'backups'],
  ['getorcreate writeSyncronizationMode=FULL_SYNC', 'writeSyncronizationMode', 'writeSynchronizationMode'],
  ['get kye=a', 'kye', 'key'],
  ['get Key=a', 'Key', 'key'],
  ['put key=a value=1', 'value', 'val'],
  ['put key=a val=1 keytype=int', 'keytype', 'keyType'],
  ['put key=a val=1 valuetype=int', 'valuetype', 'valueType'],
  ['put key=a val=1 exprs=5', 'exprs', 'exp'],
  ['put key=a val1=1', 'val1', 'val'],
  ['cas key=a val=1 vel2=1', 'vel2', 'val2'],
  ['get key=a destid=x', 'destid', 'destId'],
  ['get key=a httpstatus=true', 'httpstatus', 'httpStatus'],
  ['get key=a sesionToken=x', 'sesionToken', 'sessionToken'],
  ['get key=a svc.pasword=x', 'svc.pasword', 'svc.password'],
  ['getall k01=a', 'k01', 'k1'],
  ['getall K1=a', 'K1', 'k1'],
  ['getall k0=a', 'k0', 'k1'],
  ['getall k1=a k002=b', 'k002', 'k2'],
  ['getall k1=a key2=b', 'key2', 'k2'],
  ['getall k=a', 'k', 'k1'],
  ['getall k1=a k-2=b', 'k-2', 'k2'],
  ['putall k1=a V1=b', 'V1', 'v1'],
  ['putall k1=a val1=b', 'val1', 'v1'],
  ['exe name=length P1=a', 'P1', 'p1'],
  ['exe name=length arg=a timeot=1', 'timeot', 'timeout'],
  ['qryfldexe pageSize=1 qry=select%201 arg01=1', 'arg01', 'arg1'],
  ['qryfldexe pageSize=1 qry=select%201 Arg1=1', 'Arg1', 'arg1'],
  ['qryfldexe pageSize=1 qry=select%201 arg1=1 arg1type=int', 'arg1type', 'arg1Type'],
  ['qryfldexe pageSize=1 qry=select%201 args1=1', 'args1', 'arg1'],
  ['qryfldexe pagesize=1 qry=select%201', 'pagesize', 'pageSize'],
  ['qryfldexe pageSize=1 query=select%201', 'query', 'qry'],
  ['log fro=1 to=2', 'fro', 'from'],
  ['top cashes=false', 'cashes', 'caches'],
];

/** Parameters that do not resemble a declared one of the command. */
const HARMLESS = [
  'get key=a _=1732243972',
  'get key=a clientId=x',
  'get key=a tag=eu-1',
  'get key=a traceparent=00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  'get key=a x=1',
  'get key=a token=1 status=1 session=1 http=1 achen=1',
  'get key=a requestId=1 utm_source=x',
  'state p0=1 p1=1 p2=1 p123=1',
  'state cacheName=c',
  'get key=a val=1 val2=2 exp=5 cacheFlags=1 k1=a v1=b valueType=string',
  'get key=a k3=c v1=b v2=c',
  'get key=a v1=b valueType=int',
  'size v2=b',
  'getall k1=a key=b p1=1 p2=2',
  'qrycls qryId=1 qry=select%201 arg1=1 arg2=2',
  `get key=a ${'x'.repeat(5_000)}=1`,
];

/** Requests whose numbered parameters have a gap, and the missing parameter. */
const GAPS: ReadonlyArray<readonly [request: string, missing: string]> = [
  ['putall k1=a v1=1 k3=c v3=3', 'k2'],
  ['putall k1=a v1=1 k3=c', 'k2'],
  ['putall k1=a k2=b v2=2', 'v1'],
  ['putall k1=a v1=1 k2=b v3=3', 'v2'],
  ['getall k1=a k3=b', 'k2'],
  ['getall k2=a', 'k1'],
  ['getall k1=a k999999999=b', 'k2'],
  ['rmvall k1=a k3=b', 'k2'],
  ['rmvall k2=a', 'k1'],
  ['conkeys k1=a k2=b k4=d', 'k3'],
  ['exe name=length p1=a p3=c', 'p2'],
  ['exe name=length p2=a', 'p1'],
  ['qryfldexe pageSize=1 qry=select%201 arg1=1 arg3=3', 'arg2'],
  ['qryfldexe pageSize=1 qry=select%201 arg2=1', 'arg1'],
  ['qryexe type=T pageSize=1 qry=1=1 arg1=1 arg3Type=int', 'arg2'],
];

describe('a misspelt name is rejected with the declared one', () => {
  test.each(MISSPELT)('%s', async (request, given, meant) => {
    const { error, successStatus } = await openTestService().send(request);
    expect(error).toBe(`Unknown parameter "${given}". Did you mean "${meant}"?`);
    expect(successStatus).toBe(1);
  });

  test('and changes nothing', async () => {
    const service = openTestService();
    await service.send('put key=a val=1');
    await service.send('destcache cachename=x');
    expect((await service.send('size')).response).toBe(1);
  });

  test('also under another service name', async () => {
    const service = openTestService({ service: { serviceName: 'ignite' } });
    expect((await service.send('state ignite.logn=ann')).error).toBe(
      'Unknown parameter "ignite.logn". Did you mean "ignite.login"?',
    );
    expect((await service.send('state ignite.login=ann ignite.password=x')).error).toBeNull();
  });

  for (const { name, params, acceptsOthers } of COMMANDS) {
    test(`${name} accepts its own names and rejects each in another letter case`, async () => {
      for (const each of Object.values(params)) {
        const wire = `${each.name}${each.numbered ? '1' : ''}`;
        const { error: own } = await openTestService().send(`${name} ${wire}=1`);
        expect(own ?? '').not.toContain('Unknown parameter');
        const { error } = await openTestService().send(`${name} ${wire.toUpperCase()}=1`);
        // A parameter with another name belongs to the other command, and this command's is missing.
        if (acceptsOthers === true) expect(error).toContain(`mandatory parameter in request: ${wire}`);
        else expect(error).toBe(`Unknown parameter "${wire.toUpperCase()}". Did you mean "${wire}"?`);
      }
    });
  }
});

describe('a name that is nothing like a declared one is harmless', () => {
  test.each(HARMLESS)('%s', async (request) => {
    const service = openTestService();
    await service.send('put key=a val=1');
    expect((await service.send(request)).error ?? '').not.toContain('parameter');
  });

  test('it is reported, with its command', async () => {
    const { ignored, options } = recordIgnored();
    const service = openTestService(options);
    await service.send('get key=a _=1 clientId=2 val=3');
    await service.send('state cacheName=c');
    expect(ignored).toEqual(['get _', 'get clientId', 'state cacheName']);
  });

  test('requests with declared names report nothing', async () => {
    const { ignored, options } = recordIgnored();
    const service = openTestService(options);
    await service.send('put key=a val=1 keyType=string valueType=string cacheName=default exp=5 httpStatus=true');
    await service.send('getall k1=a k2=b sessionToken=x user=u password=p svc.login=l svc.password=p destId=');
    expect(ignored).toEqual([]);
  });
});

commandCases(
  'strict parameters',
  [
    ['reject a name that is nothing like a declared one', ['get key=a _=1', failsWith('Unknown parameter "_".')]],
    ['reject a parameter of another command', ['state cacheName=c', failsWith('Unknown parameter "cacheName".')]],
    ['suggest the declared name', ['get kye=a', failsWith('Did you mean "key"?')]],
    ['accept declared and common names', ['put key=a val=1 exp=0 httpStatus=false user=x', true]],
  ],
  { service: { strictParameters: true } },
);

commandCases(
  'commands that issue API keys reject every undeclared name, so that no limit is ignored',
  [
    [
      'of a limit',
      ['apikeyadd name=a expires=5', failsWith('The command has name, user, scope, addresses, rate, ttlMs.')],
    ],
    ['of another command', ['apikeyadd name=a exp=5', failsWith('Unknown parameter "exp".')]],
    ['that is misspelt', ['apikeyadd name=a ttl=5', failsWith('Did you mean "ttlMs"?')]],
    ['of a rotation', ['apikeyrotate id=a overlap=5000', failsWith('Unknown parameter "overlap".')]],
    [
      'but accept the common ones',
      ['apikeyadd name=a httpStatus=false numbers=number', failsWith('security disabled')],
    ],
  ],
  {},
);

describe('a gap in numbered parameters is rejected with the missing one', () => {
  test.each(GAPS)('%s', async (request, missing) => {
    const { error, successStatus } = await openTestService().send(request);
    expect(error).toMatch(
      new RegExp(`^Failed to find mandatory parameter in request: ${missing} \\(\\w+ is present\\)$`),
    );
    expect(successStatus).toBe(1);
  });

  test('whatever numbers are missing, and in whatever order the rest is sent', async () => {
    const service = openTestService();
    for (let set = 1; set < 64; set++) {
      const present = [1, 2, 3, 4, 5, 6].filter((number) => set & (1 << (number - 1)));
      const missing = [1, 2, 3, 4, 5, 6].find((number) => !present.includes(number));
      const isGap = missing !== undefined && present.some((number) => number > missing);
      for (const order of [present, present.toReversed()]) {
        const request = (command: string) => `${command} ${order.map((number) => `k${number}=${number}`).join(' ')}`;
        const expected = isGap ? `: k${missing} (` : undefined;
        for (const command of ['getall', 'conkeys', 'rmvall']) {
          const { error } = await service.send(request(command));
          expect([request(command), error === null ? undefined : error]).toEqual([
            request(command),
            expected === undefined ? undefined : expect.stringContaining(expected),
          ]);
        }
      }
    }
  });

  test('a null key or value counts as absent and is no gap', async () => {
    const { error } = await openTestService().send('putall k1={"a":1} keyType=T v1=null valueType=T');
    expect(error).toContain('null values are not allowed');
  });
});

compatibilityCases('names of parameters', [
  ['ignore misspelt ones', ['state stat=x Force=true caceName=x', 'ACTIVE']],
  [
    'ignore what follows a gap',
    ['getorcreate cacheName=c', null],
    ['putall cacheName=c k1=a v1=1 k3=b v3=2', true],
    ['getall cacheName=c k1=a k2=b', { a: '1' }],
    ['exe name=length p1=abc p3=x', expect.objectContaining({ result: '3' })],
  ],
]);

test('the work for a request with many undeclared names is bounded', async () => {
  const service = openTestService();
  // Anagrams of a declared name are the most expensive names to compare.
  const names = Array.from({ length: 20_000 }, (_, each) => `emaNehcac${String.fromCharCode(97 + (each % 26))}${each}`);
  const beganMs = performance.now();
  const { error } = await service.send(`destcache ${names.map((name) => `${name}=1`).join(' ')}`);
  expect(performance.now() - beganMs).toBeLessThan(2_000);
  expect(error ?? '').not.toContain('Did you mean');
  const near = Array.from({ length: 3_000 }, (_, each) => `ehcacNmae${String.fromCharCode(0x100 + each)}`);
  const answer = await service.send(`destcache ${near.map((name) => `${name}=1`).join(' ')}`);
  expect(answer.error === null || answer.error.includes('what=undeclared parameters')).toBe(true);
});

function recordIgnored(): { readonly ignored: string[]; readonly options: TestServiceOptions } {
  const ignored: string[] = [];
  const observer = {
    begin() {},
    waits() {},
    end() {},
    ignored: (command: string, name: string) => void ignored.push(`${command} ${name}`),
    rejected() {},
    unexpected: (_command: unknown, error: unknown) => String(error),
  };
  return { ignored, options: { service: { observer } } };
}
