/** Tests of all commands: declarations are complete, examples are correct, and shared errors are reported. */
import { describe, expect, test } from 'bun:test';
import path from 'node:path';
import { schemaErrors } from '../../test/json-schema.ts';
import { openTestService, type TestService } from '../../test/test-service.ts';
import type { RequestCompatibility } from '../base/compatibility.ts';
import { ERRORS } from '../base/errors.ts';
import { DEFAULT_LIMITS } from '../base/limits.ts';
import type { RegisteredCommand } from './command.ts';
import type { Source } from './params.ts';
import { COMMANDS, findCommand } from './registry.ts';

const NO_NODE = '3f0c1c9e-6c55-4a0e-8a8e-0d3f7a4b2c11';

/** A valid value for each required parameter. */
const VALID_VALUES: Readonly<Record<string, string>> = {
  cacheName: 'c',
  key: 'a',
  val: '1',
  val2: '2',
  exp: '100',
  delta: '1',
  k: '1',
  v: '1',
  pageSize: '1',
  qryId: '1',
  name: 'length',
  id: 'task-2',
  user: 'ann',
  password: 'secret',
};

/** Returns a request with all required parameters except `without`. */
function requestOf(command: RegisteredCommand, without?: string): string {
  const parts = Object.values(command.params)
    .filter(({ name, required }) => required && name !== without)
    .map(({ name, numbered }) => `${name}${numbered ? '1' : ''}=${VALID_VALUES[name] ?? 'x'}`);
  if (command.name === 'putall' && without !== 'k') parts.push('v1=1');
  if (command.name === 'cas') parts.push('val=1');
  if (['cas', 'repval'].includes(command.name)) parts.push('val2=2');
  if (['append', 'prepend'].includes(command.name)) parts.push('val=1');
  if (command.name === 'rmvall') parts.push('k1=1');
  return [command.name, ...parts].join(' ');
}

/** Command names that general code uses as ordinary words. */
const WORDS: ReadonlySet<string> = new Set([
  'backup',
  'backups',
  'active',
  'add',
  'append',
  'batch',
  'cache',
  'clear',
  'get',
  'inactive',
  'log',
  'name',
  'node',
  'prepend',
  'put',
  'size',
  'state',
  'top',
  'version',
]);

describe('declarations', () => {
  test('names are unique, sorted and in lower case [6.1]', () => {
    const names = COMMANDS.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)].sort());
    expect(names.join('')).toMatch(/^[a-z]+$/);
  });

  test('findCommand ignores letter case and returns undefined for unknown names', () => {
    expect(findCommand('GetPut')?.name).toBe('getput');
    expect(findCommand('get put')).toBeUndefined();
    expect(findCommand('toString')).toBeUndefined();
  });

  test('commands that administer or change whole caches are audited', () => {
    const administrative = /^admin(?!Metrics)|^cacheCreate$|^cacheDestroy$/;
    const audited = COMMANDS.filter(
      (each) => administrative.test(each.needs) || each.group === 'user' || each.name === 'clear',
    );
    expect(audited.filter(({ audit }) => audit !== 'always')).toEqual([]);
  });

  test('commands that write entries say what becomes of the deadline', () => {
    const writing = COMMANDS.filter(({ access, reading }) => access === 'write' && reading === 'entry');
    expect(writing.filter(({ deadline }) => deadline === undefined).map(({ name }) => name)).toEqual([]);
  });

  test('commands that change entries need the right to read if their response depends on the value', async () => {
    const responseTo = async (request: string, stored: string) => {
      const service = openTestService();
      await service.send(`put key=a val=${stored}`);
      return (await service.send(`${request} key=a k1=a val=red val2=red v1=red`)).text;
    };
    for (const { name, access, reading, readsValues = false } of COMMANDS) {
      if (access !== 'write' || reading !== 'entry') continue;
      const depends = (await responseTo(name, 'red')) !== (await responseTo(name, 'blue'));
      expect([name, readsValues]).toEqual([name, depends]);
    }
  });

  for (const { name, deadline, params } of COMMANDS) {
    if (deadline === undefined || deadline === 'changed') continue;
    const bulk = 'keys' in params;
    if (!bulk && !('key' in params)) continue;
    // A conditional write finds the entry and does nothing.
    const writes = !['add', 'putifabs', 'getputifabs'].includes(name);
    const left = async (parameter: string): Promise<unknown> => {
      const service = openTestService();
      const value = 'val' in params ? ' val=1' : '';
      await service.send('put key=a val=1 exp=1000');
      const sent = await service.send(`${name} ${bulk ? 'k1=a v1=1' : `key=a${value}`} val2=1 ${parameter}`);
      expect(sent.error).toBeNull();
      if (deadline === 'removed') await service.send('put key=a val=1');
      return (await service.send('ttl key=a')).response;
    };

    test(`${name}: what it declares about the deadline is true`, async () => {
      const kept = deadline === 'removed' || deadline === 'cleared' ? null : 1_000;
      expect(await left('')).toBe(writes ? kept : 1_000);
      expect(await left('exp=5000')).toBe(writes && deadline === 'setByExp' ? 5_000 : kept);
    });

    if (!('ttlMs' in params)) continue;
    test(`${name}: ttlMs sets the deadline, 0 removes it [11.1]`, async () => {
      expect(await left('ttlMs=5000')).toBe(writes ? 5_000 : 1_000);
      expect(await left('ttlMs=0')).toBe(writes ? null : 1_000);
    });
  }

  test('every command that writes values has ttlMs, and does not combine it with exp [11.2]', async () => {
    const writing = COMMANDS.filter(({ deadline }) => deadline?.startsWith('setBy') || deadline === 'changed');
    expect(writing.length).toBeGreaterThan(10);
    for (const command of writing) {
      expect(command.params).toHaveProperty('ttlMs');
      const send = async (more: string) => (await openTestService().send(`${requestOf(command, 'exp')} ${more}`)).error;
      expect(await send('ttlMs=1000 exp=1000')).toBe('The parameters exp and ttlMs cannot be combined');
      expect(await send('ttlMs=-1')).toBe('Time to live must not be negative [ttlMs=-1]');
      expect(await send('ttlMs=1s')).toBe('Failed to parse parameter of Long type [ttlMs=1s]');
      const service = await serviceWithEntry();
      expect((await service.send(`${requestOf(command, 'exp')} ttlMs=1000`)).error).toBeNull();
    }
  });

  test('subject and cursor name a parameter by its name on the wire', () => {
    for (const { name, params, subject, cursor } of COMMANDS) {
      const names = [subject, cursor].filter((each) => each !== undefined);
      expect([name, ...names.map((each) => params[each]?.name)]).toEqual([name, ...names]);
    }
  });

  test('general code contains no command names', async () => {
    const names = COMMANDS.map(({ name }) => name).filter((name) => !WORDS.has(name));
    const pattern = new RegExp(`(?:command\\.name|cmd) [!=]== '\\w|'(?:${names.join('|')})'`);
    const root = path.join(import.meta.dir, '..');
    for await (const file of new Bun.Glob('{service,http,wiring,grid,engines}/**/*.ts').scan(root)) {
      if (/\.test\.ts$/.test(file)) continue;
      const found = pattern.exec(await Bun.file(path.join(root, file)).text());
      expect([file, found?.[0]]).toEqual([file, undefined]);
    }
  });

  for (const command of COMMANDS) {
    test(`${command.name} can be serialized apart from its functions`, () => {
      const { params, reply, run: _run, ...data } = command;
      expect(JSON.parse(JSON.stringify(data))).toMatchObject({ name: command.name, group: command.group });
      expect(JSON.parse(JSON.stringify(reply.schema))).toEqual(reply.schema as Record<string, unknown>);
      expect(command.summary).toMatch(/^[A-Z].*\.$/);
      for (const parameter of Object.values(params)) expect(parameter.summary).toMatch(/^\S.*\.$/);
      for (const code of command.errors) expect(ERRORS).toHaveProperty(code);
      expect(new Set(command.errors).size).toBe(command.errors.length);
    });
  }
});

const WITHOUT_TEST_SERVICE = new Set(['query', 'savedquery', 'user', 'task', 'transfer']);

describe('examples', () => {
  for (const command of COMMANDS.filter(({ group, name }) => !WITHOUT_TEST_SERVICE.has(group) && name !== 'log')) {
    test(`${command.name} returns the response of its example`, async () => {
      const service = openTestService();
      const { before = [], query, response } = command.example;
      for (const each of before) expect((await service.send(asRequest(String(each)))).error).toBeNull();
      const answer = await service.send(asRequest(query));
      expect(answer.error).toBeNull();
      if (response !== undefined) expect(answer.response).toEqual(response);
      expect(schemaErrors(command.reply.schema, answer.response)).toEqual([]);
    });
  }
});

/** Returns `cmd=put&key=a` in the form of the test service. */
function asRequest(query: string): string {
  return query.slice('cmd='.length).replaceAll('+', '%20').split('&').join(' ');
}

describe('required parameters', () => {
  for (const command of COMMANDS) {
    for (const { name, missing } of Object.values(command.params).filter(({ required }) => required)) {
      if (name === 'cacheName' && command.name !== 'clear') continue;
      test(`${command.name} requires ${name}`, async () => {
        const answer = await openTestService().send(requestOf(command, name));
        expect(answer.error).toContain(`Failed to find mandatory parameter in request: ${missing}`);
        expect(answer.successStatus).toBe(1);
      });
    }
  }
});

/** Returns a service whose cache `c` has the entry that requests are about. */
async function serviceWithEntry(settings = ''): Promise<TestService> {
  const service = openTestService();
  await service.send(`getorcreate cacheName=c${settings}`);
  await service.send('put cacheName=c key=a val=2');
  return service;
}

describe('commands on entries', () => {
  for (const command of COMMANDS.filter(({ reading }) => reading === 'entry')) {
    const { name } = command;
    const inCache = (cache: string) => `${requestOf(command).replace(/ cacheName=\S*/, '')} cacheName=${cache}`;

    test(`${name} rejects an unknown cache`, async () => {
      const answer = await openTestService().send(inCache('none'));
      expect(answer.error).toContain('Failed to find cache for given cache name: none');
      expect(answer.error).toStartWith(`Failed to handle request: [req=${command.request}, err=`);
      expect(answer.affinityNodeId).toBeUndefined();
    });

    const ofIgnite = command.since === '1.0.0';
    test(`${name} ${ofIgnite ? 'requires' : 'has a default'} cacheName in compatibility mode reference`, async () => {
      const service = openTestService({ compatibility: 'reference' });
      const request = requestOf(command).replace(/ cacheName=\S*/, '');
      const missing = 'Failed to find mandatory parameter in request: cacheName';
      const { error } = await service.send(request);
      if (ofIgnite) expect(error).toContain(missing);
      else expect(error ?? '').not.toContain(missing);
      // Without keys it clears a cache, which is never the default one by mistake.
      if (name === 'clear') return;
      const preferring = await service.send(request, { prefer: 'errors=text, compatibility=contract' });
      expect(preferring.error ?? '').not.toContain(missing);
    });

    test(`${name} returns the node of the key`, async () => {
      const service = await serviceWithEntry();
      const hasKey = 'key' in command.params;
      const answer = await service.send(inCache('c'));
      expect(answer.error).toBeNull();
      expect(answer.affinityNodeId).toBe(hasKey ? '00000000-0000-4000-8000-000000000001' : null);
      if (!hasKey) expect((await service.send(`${inCache('c')} key=a`)).affinityNodeId).toStartWith('00000000');
    });

    test(`${name} rejects an unknown node`, async () => {
      const service = await serviceWithEntry();
      expect((await service.send(`${inCache('c')} destId=${NO_NODE}`)).error).toContain('Cluster group is empty.');
      expect((await service.send(`${inCache('none')} destId=${NO_NODE}`)).error).toContain('Cluster group is empty.');
      expect((await service.send(`${inCache('c')} destId=here`)).error).toBeNull();
    });

    test(`${name} accepts any node for a key of a replicated cache`, async () => {
      const service = await serviceWithEntry(' templateName=REPLICATED');
      const answer = await service.send(`${inCache('c')} destId=${NO_NODE}`);
      if (command.routing === 'always') expect(answer.error).toContain('Cluster group is empty.');
      else expect(answer.error).toBeNull();
    });

    test(`${name} validates parameters that it does not use`, async () => {
      const send = (more: string) => openTestService().send(`${requestOf(command)} ${more}`);
      expect((await send('cacheFlags=x')).error).toBe('Failed to parse parameter of Integer type [cacheFlags=x]');
      if (!('exp' in command.params)) {
        expect((await send('exp=x')).error).toBe('Failed to parse parameter of Long type [exp=x]');
      }
      const unused = 'val2' in command.params ? 'val2=zz' : 'val2=zz valueType=int';
      if (!('val2' in command.params)) expect((await send(unused)).error).toContain('Failed to convert value');
    });
  }
});

describe('cluster states', () => {
  // The engine tests imports.
  const changing = COMMANDS.filter(
    ({ access, errors, group }) => access === 'write' && errors.includes('READ_ONLY') && group !== 'transfer',
  );

  for (const command of changing) {
    test(`${command.name} fails while read-only`, async () => {
      const service = openTestService();
      await service.send('getorcreate cacheName=c');
      await service.send('put cacheName=c key=a val=2');
      await service.send('incr key=a delta=1');
      await service.send('setstate state=ACTIVE_READ_ONLY');
      const request = command.name === 'getorcreate' ? 'getorcreate cacheName=d' : requestOf(command);
      const answer = await service.send(request);
      expect(answer.error).toContain('cluster is in read-only mode');
    });
  }

  for (const command of COMMANDS.filter(({ errors }) => errors.includes('INACTIVE'))) {
    // The engine tests queries, the user service tests users; metadata works while inactive.
    if (command.group === 'query' || command.group === 'user' || command.name === 'metadata') continue;
    if (command.group === 'transfer') continue;
    test(`${command.name} fails while inactive`, async () => {
      const service = openTestService();
      await service.send('getorcreate cacheName=c');
      await service.send('setstate state=INACTIVE');
      const answer = await service.send(requestOf(command));
      expect(answer.error).toContain('the cluster is inactive');
      expect(answer.successStatus).toBe(1);
    });
  }
});

test.each(['put cacheName=c key=a val=1 exp=', 'getorcreate cacheName=c backups='])(
  'millions of digits are rejected without converting them: %s',
  async (request) => {
    const begun = process.cpuUsage();
    const { error } = await openTestService().send(`${request}${'9'.repeat(5_000_000)}`);
    expect(error).toContain('5000000 characters');
    const { user, system } = process.cpuUsage(begun);
    expect((user + system) / 1_000).toBeLessThan(500);
  },
);

function source(compatibility: RequestCompatibility): Source {
  return {
    params: new Map(),
    registry: { find: () => undefined },
    serviceName: 'svc',
    defaultCache: 'default',
    compatibility,
    limits: DEFAULT_LIMITS,
    strictParameters: false,
    defaultPageSize: undefined,
    onReceive: undefined,
    ignored: () => {},
  };
}

describe('cacheName=default is decoded as the default cache, for which permissions are checked', () => {
  for (const { name, params } of COMMANDS) {
    for (const parameter of Object.values(params).filter((each) => each.name === 'cacheName')) {
      test(name, () => {
        for (const compatibility of ['contract', 'reference', 'none'] as const) {
          const request = {
            ...source(compatibility),
            params: new Map([['cacheName', 'default']]),
            defaultCache: 'main',
          };
          expect(parameter.read(request)).toBe('main');
        }
      });
    }
  }
});

describe('a parameter that requests lack', () => {
  for (const { name, params } of COMMANDS) {
    for (const parameter of Object.values(params).filter(({ readsAbsent }) => !readsAbsent)) {
      test(`${name}: ${parameter.name} has no value, since the decoder does not read it`, () => {
        for (const compatibility of ['contract', 'reference', 'none'] as const) {
          expect(parameter.read(source(compatibility))).toBeUndefined();
        }
      });
    }
  }
});
