/** Tests of entries by their addresses, over real sockets, that every engine must pass. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openConnection } from '../http-connection.ts';
import { type ServiceProcess, startService } from '../service-process.ts';
import { codeOf, type ResourceEngine, send } from './resource-client.ts';

export function runEntriesSuite({ environment, isCluster, limitMs }: ResourceEngine): void {
  describe('entries', () => {
    let service: ServiceProcess;
    beforeAll(async () => {
      service = await startService({ env: environment() });
      await service.command('cmd=getorcreate&cacheName=c');
      const create = 'CREATE TABLE longs (id BIGINT PRIMARY KEY, name VARCHAR) WITH "CACHE_NAME=longs"';
      await service.command(`cmd=qryfldexe&pageSize=1&qry=${encodeURIComponent(create)}`);
    }, limitMs);
    afterAll(() => service?.[Symbol.asyncDispose]());

    /** Sends a path unchanged; fetch would resolve its dots. */
    const getAsIs = async (path: string) => {
      const connection = await openConnection(service.port);
      const answer = await connection.send(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
      connection.close();
      return answer;
    };
    const at = (key: string, more = ''): string => `/caches/c/entries/${key}${more}`;

    test('stores, reads, changes and removes an entry', async () => {
      const created = await send(service, `PUT ${at('life')}`, '42');
      expect([created.status, created.text, created.headers.get('location')]).toEqual([
        201,
        '',
        '/svc/caches/c/entries/life',
      ]);
      const typed = await send(service, `PUT ${at('7', '?keyType=long&valueType=int')}`, '1');
      const location = typed.headers.get('location') ?? '';
      expect([location, (await fetch(`${service.origin}${location}`)).status]).toEqual([
        '/svc/caches/c/entries/7?keyType=long',
        200,
      ]);
      const read = await send(service, `GET ${at('life')}`);
      expect([read.status, read.text, read.headers.get('content-type')]).toEqual([
        200,
        '42',
        'application/json;charset=utf-8',
      ]);
      expect((await send(service, `PUT ${at('life')}`, '43')).status).toBe(204);
      expect(await service.command('cmd=get&cacheName=c&key=life')).toBe(43);
      const head = await send(service, `HEAD ${at('life')}`);
      expect([head.status, head.text, head.headers.get('content-length')]).toEqual([200, '', '2']);
      expect((await send(service, `DELETE ${at('life')}`)).status).toBe(204);
      expect(codeOf(await send(service, `GET ${at('life')}`))).toBe('404 ENTRY_NOT_FOUND');
      expect(codeOf(await send(service, `DELETE ${at('life')}`))).toBe('404 ENTRY_NOT_FOUND');
    });

    test.each([
      ['"red"', '', 'string', '"red"'],
      ['42', '', 'integer', '42'],
      ['9007199254740993', '', 'long', '9007199254740993'],
      ['1.50', '', 'double', '1.5'],
      ['true', '', 'boolean', 'true'],
      ['[1,"a"]', '', 'list', '[1,"a"]'],
      ['{"a":1}', '', 'map', '{"a":1}'],
      ['"7"', '?valueType=long', 'long', '7'],
      ['7', '?valueType=long', 'long', '7'],
      ['"2024-02-29"', '?valueType=date', 'date', '"2024-02-29"'],
      ['12.30', '?valueType=java.math.BigDecimal', 'decimal', '12.30'],
    ])('stores %s with "%s" as a %s', async (body, query, type, stored) => {
      await send(service, `PUT ${at('typed', query)}`, body);
      expect((await send(service, `GET ${at('typed')}`)).text).toBe(stored);
      const dry = await send(service, `PUT ${at('typed', query)}`, body, { prefer: 'dry-run' });
      if (isCluster) expect(codeOf(dry)).toBe('400 NOT_SUPPORTED');
      else expect(dry.json).toMatchObject({ of: 'put', types: { val: type } });
    });

    test('a text is stored as it is', async () => {
      await send(service, `PUT ${at('plain')}`, '{"a"', { 'content-type': 'text/plain' });
      expect((await send(service, `GET ${at('plain')}`)).text).toBe('"{\\"a\\""');
    });

    test.each([
      ['a%2Fb', 'a/b'],
      ['%2E%2E', '..'],
      ['%2E', '.'],
      ['', ''],
      ['a+b%20c', 'a+b c'],
      ['%C3%A9', 'é'],
      ['a%2Cb%3Fc%23d', 'a,b?c#d'],
    ])('the segment "%s" is the key "%s"', async (segment, key) => {
      await service.command(`cmd=put&cacheName=c&key=${encodeURIComponent(key)}&val=there`);
      expect((await getAsIs(`/svc/caches/c/entries/${segment}`)).body).toBe('"there"');
    });

    test.each([
      ['/svc/caches/c/entries/..', 404],
      ['/svc/caches/c/entries/.', 404],
      ['/svc/caches//entries/k', 404],
      ['/svc/caches/../entries/k', 404],
      ['/svc/caches/c/entries?born=1', 400],
      ['/svc/caches/c/entries/a/b', 404],
      ['/svc/caches/c/other/k', 404],
      ['/svc/caches/c/entries/%ff', 400],
      ['/svc/caches/c/entries/k?keyTyp=long', 400],
    ])('%s is answered with %i', async (path, status) => {
      const answer = await getAsIs(path);
      expect(answer.status).toBe(status);
      expect(answer.body).toStartWith('{"code":"');
    });

    test('a key has the type in keyType, or the one that the cache declares', async () => {
      await service.command('cmd=put&cacheName=c&key=5&keyType=long&val=five');
      expect((await send(service, `GET ${at('5')}`)).status).toBe(404);
      expect((await send(service, `GET ${at('5', '?keyType=long')}`)).text).toBe('"five"');
      expect(codeOf(await send(service, `GET ${at('five', '?keyType=long')}`))).toBe('400 CONVERSION');
      const insert = "INSERT INTO longs VALUES (5, 'five')";
      await service.command(`cmd=qryfldexe&pageSize=1&qry=${encodeURIComponent(insert)}`);
      expect((await send(service, 'GET /caches/longs/entries/5')).json).toEqual({ NAME: 'five' });
      expect(codeOf(await send(service, 'GET /caches/longs/entries/five'))).toBe('400 CONVERSION');
      expect((await send(service, 'PUT /caches/longs/entries/6', '{"NAME":"six"}')).status).toBe(201);
      expect((await send(service, 'GET /caches/longs/entries/6')).json).toEqual({ NAME: 'six' });
    });

    test('the default cache is called default', async () => {
      await send(service, 'PUT /caches/default/entries/d', '"value"');
      expect(await service.command('cmd=get&key=d')).toBe('value');
    });

    test('conditions compare values', async () => {
      await send(service, `PUT ${at('tagged')}`, '"one"');
      const etag = (await send(service, `GET ${at('tagged')}`)).headers.get('etag') ?? '';
      expect(etag).toMatch(/^"[\w-]{11}"$/);
      const status = async (request: string, body: string | undefined, headers: Record<string, string>) =>
        (await send(service, request, body, headers)).status;
      expect(await status(`GET ${at('tagged')}`, undefined, { 'if-none-match': etag })).toBe(304);
      expect(await status(`GET ${at('tagged')}`, undefined, { 'if-none-match': `"x", W/${etag}` })).toBe(304);
      expect(await status(`GET ${at('tagged')}`, undefined, { 'if-none-match': '"x"' })).toBe(200);
      expect(await status(`GET ${at('tagged')}`, undefined, { 'if-match': '"x"' })).toBe(412);
      expect(await status(`PUT ${at('tagged')}`, '"two"', { 'if-match': '"x"' })).toBe(412);
      expect(await status(`PUT ${at('tagged')}`, '"two"', { 'if-match': `W/${etag}` })).toBe(412);
      expect(await status(`PUT ${at('tagged')}`, '"two"', { 'if-match': etag.replaceAll('"', '') })).toBe(400);
      expect(await status(`PUT ${at('tagged')}`, '2', { 'if-match': `"x", ${etag}` })).toBe(204);
      expect(await status(`PUT ${at('tagged')}`, '"three"', { 'if-match': etag })).toBe(412);
      expect(await status(`DELETE ${at('tagged')}`, undefined, { 'if-match': etag })).toBe(412);
      expect(await status(`PUT ${at('tagged')}`, '3', { 'if-match': '*' })).toBe(204);
      expect(await status(`PUT ${at('absent')}`, '3', { 'if-match': '*' })).toBe(412);
      expect(await status(`PUT ${at('tagged')}`, '4', { 'if-none-match': '*' })).toBe(412);
      expect(await status(`PUT ${at('new')}`, '4', { 'if-none-match': '*' })).toBe(201);
      expect(await status(`PUT ${at('new')}`, '4', { 'if-none-match': '"x"' })).toBe(400);
      const now = (await send(service, `GET ${at('tagged')}`)).headers.get('etag') ?? '';
      expect(await status(`DELETE ${at('tagged')}`, undefined, { 'if-match': now })).toBe(204);
      expect(await status(`DELETE ${at('tagged')}`, undefined, { 'if-match': '*' })).toBe(412);
      expect(await status(`GET ${at('tagged')}`, undefined, { 'if-match': '*' })).toBe(412);
    });

    test('POST creates only, PATCH appends', async () => {
      expect((await send(service, `POST ${at('posted')}`, '"a"')).status).toBe(201);
      expect(codeOf(await send(service, `POST ${at('posted')}`, '"b"'))).toBe('409 ENTRY_EXISTS');
      expect((await send(service, `PATCH ${at('posted')}`, '"b"')).status).toBe(204);
      expect((await send(service, `GET ${at('posted')}`)).text).toBe('"ab"');
      expect(codeOf(await send(service, `PATCH ${at('posted')}`, '[1]'))).toBe('409 INCOMPATIBLE_TYPES');
      expect(codeOf(await send(service, `PATCH ${at('nothing')}`, '"b"'))).toBe('404 ENTRY_NOT_FOUND');
      await send(service, `PUT ${at('object')}`, '{"a":1,"b":2}');
      await send(service, `PATCH ${at('object')}`, '{"b":3}');
      expect((await send(service, `GET ${at('object')}`)).json).toEqual({ a: 1, b: 3 });
    });

    test('Prefer: return=representation returns what was stored or removed', async () => {
      const prefer = { prefer: 'return=representation' };
      const put = await send(service, `PUT ${at('shown')}`, ' "a" ', prefer);
      expect([put.status, put.text, put.headers.get('preference-applied')]).toEqual([
        201,
        '"a"',
        'return=representation',
      ]);
      expect(put.headers.get('etag')).toBe((await send(service, `GET ${at('shown')}`)).headers.get('etag'));
      expect((await send(service, `PATCH ${at('shown')}`, '"b"', prefer)).text).toBe('"ab"');
      const removed = await send(service, `DELETE ${at('shown')}`, undefined, prefer);
      expect([removed.status, removed.text]).toEqual([200, '"ab"']);
      expect(codeOf(await send(service, `DELETE ${at('shown')}`, undefined, prefer))).toBe('404 ENTRY_NOT_FOUND');
    });

    test('a dry run changes nothing', async () => {
      const prefer = { prefer: 'dry-run' };
      const dry = await send(service, `PUT ${at('dry')}`, '1', prefer);
      // Nodes cannot roll back changes of ATOMIC caches.
      if (isCluster) expect(codeOf(dry)).toBe('400 NOT_SUPPORTED');
      else
        expect([dry.status, dry.headers.get('preference-applied'), dry.json]).toEqual([
          200,
          'dry-run',
          { of: 'put', response: true, effects: null, types: { key: 'string', val: 'integer' } },
        ]);
      expect((await send(service, `GET ${at('dry')}`)).status).toBe(404);
      const conditional = await send(service, `PUT ${at('dry')}`, '1', { ...prefer, 'if-match': '"x"' });
      expect(codeOf(conditional)).toBe('400 DRY_RUN_UNSUPPORTED');
    });

    test('an idempotency key makes a change once', async () => {
      const headers = { 'idempotency-key': 'once' };
      const first = await send(service, `PUT ${at('once')}`, '1', headers);
      await service.command('cmd=put&cacheName=c&key=once&val=other');
      const again = await send(service, `PUT ${at('once')}`, '1', headers);
      expect([first.status, again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 201, 'true']);
      expect(await service.command('cmd=get&cacheName=c&key=once')).toBe('other');
      const { headers: tagged } = await send(service, `GET ${at('once')}`);
      const conditional = { 'idempotency-key': 'tag', 'if-match': tagged.get('etag') ?? '' };
      expect((await send(service, `PUT ${at('once')}`, '2', conditional)).status).toBe(204);
      const replayed = await send(service, `PUT ${at('once')}`, '2', conditional);
      expect([replayed.status, replayed.headers.get('idempotent-replayed')]).toEqual([204, 'true']);
    });

    test('an answer with a value is the same again for the same idempotency key', async () => {
      const headers = { 'idempotency-key': 'shown', prefer: 'return=representation' };
      const first = await send(service, `PUT ${at('shown')}`, '1', headers);
      await service.command('cmd=put&cacheName=c&key=shown&val=other');
      const again = await send(service, `PUT ${at('shown')}`, '1', headers);
      expect([again.status, again.json, again.headers.get('etag')]).toEqual([201, 1, first.headers.get('etag')]);
    });

    test('changes of a recorded cache have a position, for which a read can wait', async () => {
      if (isCluster) {
        const waiting = await send(service, `GET ${at('k')}`, undefined, { 'wait-for-position': 'x' });
        expect(codeOf(waiting)).toBe('400 NOT_SUPPORTED');
        return;
      }
      await service.command('cmd=getorcreate&cacheName=fed&changeFeed=true');
      const put = await send(service, 'PUT /caches/fed/entries/k', '1');
      const position = put.headers.get('change-position') ?? '';
      expect([put.status, position]).toEqual([201, expect.stringMatching(/./)]);
      const read = await send(service, 'GET /caches/fed/entries/k', undefined, { 'wait-for-position': position });
      expect(read.text).toBe('1');
      expect((await send(service, 'DELETE /caches/fed/entries/k')).headers.get('change-position')).not.toBe(position);
    });

    test('a time to live', async () => {
      await send(service, `PUT ${at('short', '?ttlMs=60000')}`, '1');
      if (!isCluster) expect(await service.command('cmd=ttl&cacheName=c&key=short')).toBeGreaterThan(50_000);
      expect(codeOf(await send(service, `PUT ${at('short', '?ttlMs=soon')}`, '1'))).toBe('400 NOT_A_LONG');
    });

    test.each([
      ['PUT', at('x'), '{"a"', {}, '400 RESOURCE_INVALID'],
      ['PUT', at('x'), 'null', {}, '400 RESOURCE_INVALID'],
      ['PUT', at('x'), 'a=1', { 'content-type': 'application/x-www-form-urlencoded' }, '415 MEDIA_TYPE_UNSUPPORTED'],
      ['PUT', at('x'), '"a"', { accept: 'text/csv' }, '406 NOT_ACCEPTABLE'],
      ['PUT', at('x'), '"a"', { 'content-encoding': 'gzip' }, '415 MEDIA_TYPE_UNSUPPORTED'],
      ['GET', at('x'), undefined, { accept: 'text/html, */*;q=0.1' }, '404 ENTRY_NOT_FOUND'],
      ['GET', at('x'), undefined, { accept: 'application/json;q=0' }, '406 NOT_ACCEPTABLE'],
      ['PUT', '/caches/none/entries/x', '"a"', {}, '404 CACHE_NOT_FOUND'],
      ['PURGE', at('x'), undefined, {}, '405 METHOD_NOT_ALLOWED'],
      ['PATCH', at('x'), '"a"', { 'if-match': '"x"' }, '400 RESOURCE_INVALID'],
      ['POST', at('x'), '"a"', { 'if-none-match': '*' }, '400 RESOURCE_INVALID'],
    ])('%s %s with %s and %j is rejected with %s', async (method, path, body, headers, code) => {
      const answer = await send(service, `${method} ${path}`, body, headers as Record<string, string>);
      expect(codeOf(answer)).toBe(code);
      expect(answer.headers.get('error-code')).toBe(code.split(' ')[1] ?? '');
      if (method === 'PURGE') expect(answer.headers.get('allow')).toContain('GET, PUT, POST, PATCH, DELETE');
    });

    test('a body that curl sends as a form is rejected with what to add', async () => {
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      const { json } = await send(service, `PUT ${at('x')}`, '"x"', form);
      expect(json).toMatchObject({ remedy: expect.stringContaining("-H 'Content-Type: application/json'") });
    });
  });
}
