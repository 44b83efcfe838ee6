/** Clusters without the optional module that executes SQL: everything else works. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { type ServiceProcess, startService } from '../system/service-process.ts';
import { missingForNodes, type NodeModules, startCluster, type TestCluster } from './ignite-node.ts';

setDefaultTimeout(180_000);

const NO_SQL = 'The cluster has no SQL: the module ignite-indexing is not on the class path of its nodes';

/** In this order; an Error is one whose text contains the message. */
const REQUESTS: ReadonlyArray<readonly [request: string, expected: unknown]> = [
  ['cmd=put&key=a&val=b', true],
  ['cmd=get&key=a', 'b'],
  ['cmd=getput&key=a&val=c', 'b'],
  ['cmd=cas&key=a&val=d&val2=c', true],
  ['cmd=append&key=a&val=x', true],
  ['cmd=putall&k1=a&v1=1&k2=b&v2=2', true],
  ['cmd=getall&k1=a&k2=b', { a: '1', b: '2' }],
  ['cmd=conkeys&k1=a&k2=b', true],
  ['cmd=rmv&key=b', true],
  ['cmd=put&key=t&val=1&ttlMs=600000', true],
  ['cmd=size', 2],
  ['cmd=incr&key=c&init=1&delta=2', 3],
  ['cmd=decr&key=c&delta=2', 1],
  ['cmd=getorcreate&cacheName=grouped&cacheGroup=g&dataRegion=default&backups=1', null],
  ['cmd=getorcreate&cacheName=copied&templateName=REPLICATED', null],
  ['cmd=put&cacheName=copied&key=a&val=b', true],
  // Nodes that do not report their regions reject a wrong one themselves.
  ['cmd=getorcreate&cacheName=elsewhere&dataRegion=nowhere', new Error('Failed to complete exchange process')],
  ['cmd=put&cacheName=copied&key=1&keyType=int&val={"a":[1,{"b":2}]}&valueType=Thing', true],
  ['cmd=get&cacheName=copied&key=1&keyType=int', { a: [1, { b: 2 }] }],
  // The module's processor determines whether the nodes have a class.
  ['cmd=put&cacheName=copied&key=2&keyType=int&val={"id":7}&valueType=RefNode$Person', true],
  ['cmd=get&cacheName=copied&key=2&keyType=int', { id: 7 }],
  ['cmd=metadata', { cacheName: 'default', types: [], keyClasses: {}, valClasses: {}, fields: {}, indexes: {} }],
  ['cmd=cachelist&regex=copied&config=true', [expect.objectContaining({ cacheName: 'copied' })]],
  ['cmd=destcache&cacheName=grouped', null],
  ['cmd=qryscanexe&cacheName=default&pageSize=1', expect.objectContaining({ last: false })],
  ['cmd=exe&name=RefNode$LenTask&p1=four', expect.objectContaining({ finished: true, error: '', result: 4 })],
  ['cmd=exe&name=svc.cacheSizes', expect.objectContaining({ finished: true, error: '' })],
  ['cmd=name', 'node0'],
  ['cmd=top&mtr=true&attr=true', [expect.objectContaining({ consistentId: 'node0', metrics: {} })]],
  ['cmd=probe&kind=readiness', expect.anything()],
  ['cmd=setstate&state=ACTIVE_READ_ONLY', 'setstate done'],
  ['cmd=put&key=a&val=b', new Error('read-only')],
  ['cmd=setstate&state=ACTIVE', 'setstate done'],
  // The information that the service gets from system views.
  ['cmd=cache', new Error(NO_SQL)],
  ['cmd=baseline', new Error(NO_SQL)],
  ['cmd=dataregion', new Error(NO_SQL)],
  ['cmd=qryfldexe&pageSize=1&qry=select 1', new Error(NO_SQL)],
  ['cmd=qryfldexe&pageSize=1&qry=create table t(id int primary key, n int)', new Error(NO_SQL)],
  ['cmd=qryfldexe&pageSize=1&qry=select * from SYS.NODES', new Error(NO_SQL)],
  ['cmd=qryexe&pageSize=1&type=String&qry=1=1', new Error(NO_SQL)],
  ['cmd=setstate&state=INACTIVE&force=true', 'setstate done'],
  ['cmd=state', 'INACTIVE'],
  ['cmd=get&key=a', new Error('the cluster is inactive')],
  ['cmd=setstate&state=ACTIVE', 'setstate done'],
  ['cmd=get&key=a', null],
];

const VERSIONS: ReadonlyArray<readonly [modules: NodeModules, version: string]> = [
  ['without indexing', '2.17.0'],
  ['core of 2.18', '2.18.0'],
];

for (const [modules, version] of VERSIONS) {
  describe.skipIf(missingForNodes() !== undefined)(`a cluster ${modules}`, () => {
    let cluster: TestCluster;
    let service: ServiceProcess;
    beforeAll(async () => {
      cluster = await startCluster(1, { modules, empty: true });
      service = await startService({ env: { SVC_ENGINE: 'cluster', SVC_ENDPOINTS: cluster.endpoints.join(',') } });
    });
    afterAll(async () => {
      await service?.[Symbol.asyncDispose]();
      await cluster?.[Symbol.asyncDispose]();
    });

    test('serves entries, counters, caches, state and tasks', async () => {
      expect(service.output()).not.toContain('commands fail');
      expect(await service.command('cmd=version')).toBe(version);
      for (const [request, expected] of REQUESTS) {
        const { error, response } = await service.send(request.replaceAll(' ', '%20'));
        if (expected instanceof Error)
          expect({ request, error }).toMatchObject({ error: expect.stringContaining(expected.message) });
        else expect({ request, error, response }).toEqual({ request, error: null, response: expected });
      }
    });

    test('is ready, and imports and exports entries', async () => {
      expect((await fetch(`${service.origin}/health/ready`)).status).toBe(200);
      expect((await fetch(`${service.origin}/metrics`)).status).toBe(200);
      const rows = ['i', 'j']
        .map((key) => JSON.stringify({ key, value: 'x', keyType: 'string', valueType: 'string' }))
        .join('\n');
      await service.command('cmd=getorcreate&cacheName=bulk');
      const imported = await fetch(`${service.url}?cmd=import&cacheName=bulk&format=ndjson`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-ndjson' },
        body: rows,
      });
      expect(await imported.json()).toMatchObject({ error: null });
      const exported = await (await fetch(`${service.url}?cmd=export&cacheName=bulk&format=ndjson`)).text();
      expect(exported.trim().split('\n').sort()).toEqual(rows.split('\n'));
    });
  });
}
