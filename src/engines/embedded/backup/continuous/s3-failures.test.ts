/** A bucket as destination of a continuous backup, whose store fails, does not respond, or cannot be trusted. */
import { Database } from 'bun:sqlite';
import { afterEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCertificate } from '../../../../../test/certificates/certificates.ts';
import { ManualClock } from '../../../../../test/fixtures/base/manual-clock.ts';
import {
  cut,
  failing,
  LOST,
  type ScriptedAnswer,
  ScriptedObjectStore,
  type ScriptedStoreOptions,
  silent,
} from '../../../../../test/scripted-object-store.ts';
import { systemClock, type Timer } from '../../../../base/clock.ts';
import { BackupBucket, ObjectOutput, readBackupObject } from '../backup-bucket.ts';
import { ContinuousBackup } from './continuous-backup.ts';
import { type Destination, type ShippingOwner, ShippingStopped, urlMistake } from './destination.ts';
import { openDestination } from './open-destination.ts';
import { OwnedDestination } from './owned-destination.ts';
import { planRestore } from './restore-plan.ts';
import { S3Client } from './s3-client.ts';
import { S3Destination } from './s3-destination.ts';

const OWNER = { database: 'one', host: 'h', processId: 1, folder: '/data' };
const NAME = { level: 0, first: 1n, last: 1n };
const MEBIBYTE = 1024 * 1024;
/** Short, so that an unresponsive store is tried often. */
const LIMITS = { tries: 4, tryMs: 250, completeMs: 5_000, bytesPerSecond: 64 * MEBIBYTE, pauseMs: 10 };

const stores: ScriptedObjectStore[] = [];
afterEach(() => {
  for (const store of stores.splice(0)) store[Symbol.dispose]();
});

function scripted(
  script: readonly ScriptedAnswer[] = [],
  options: ScriptedStoreOptions = {},
): { readonly client: S3Client; readonly destination: S3Destination; readonly store: ScriptedObjectStore } {
  const store = new ScriptedObjectStore(options);
  stores.push(store);
  store.script.push(...script);
  const location = { endpoint: store.origin, region: 'r', bucket: 'bucket', isPathStyle: true };
  const credentials = () => ({ accessKeyId: 'id', secretAccessKey: 'secret' });
  const client = new S3Client({ location, credentials, clock: systemClock, limits: LIMITS });
  const url = 's3://bucket/p';
  const destination = new S3Destination({ client, prefix: 'p', url, assumesSoleWriter: false, clock: systemClock });
  return { client, destination, store };
}

async function* parts(count: number, fill = 1): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < count; at++) yield new Uint8Array(MEBIBYTE).fill(at + fill);
}

async function bytesOf(destination: Destination): Promise<number> {
  let bytes = 0;
  for await (const chunk of destination.read(NAME)) bytes += chunk.length;
  return bytes;
}

const created = (destination: Destination) => destination.create(NAME, 1, parts(1));

test.each<[string, ScriptedAnswer[]]>([
  ['500', [failing(500, 'InternalError')]],
  ['503 SlowDown, twice', [failing(503, 'SlowDown'), failing(503, 'SlowDown')]],
  ['429', [failing(429, 'TooManyRequests')]],
  ['409, while the first attempt is still being executed', [failing(409, 'ConditionalRequestConflict')]],
  ['a cut connection', [cut]],
  ['no answer', [silent]],
  ['a lost answer', [LOST]],
  ['expired credentials that were renewed', [failing(400, 'ExpiredToken')]],
])('%s: the object is there once, and read again', async (_, answers) => {
  const { destination, store } = scripted(answers);
  expect(await created(destination)).toBe(MEBIBYTE);
  expect(store.objects.size).toBe(1);
  store.script.push(...answers.filter((answer) => answer !== LOST));
  expect(await bytesOf(destination)).toBe(MEBIBYTE);
});

test('an answer that is half there is read again', async () => {
  const { destination, store } = scripted();
  await destination.create(NAME, 1, parts(6));
  const half: ScriptedAnswer = () => {
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (sent++ === 0) controller.enqueue(new Uint8Array(1000));
        else controller.error(new Error('cut'));
      },
    });
    return new Response(body, { status: 206, headers: { 'Content-Range': 'bytes 0-1048575/6291456' } });
  };
  store.script.push(half, half);
  let at = 0;
  for await (const chunk of destination.read(NAME)) {
    expect(chunk[0]).toBe(1 + Math.floor(at / MEBIBYTE));
    at += chunk.length;
  }
  expect(at).toBe(6 * MEBIBYTE);
});

test.each<[string, ScriptedAnswer, RegExp]>([
  ['does not answer', silent, /^ObjectStoreError: the object store did not answer PUT: no answer within 2\d\d ms$/],
  ['is too busy', failing(503, 'SlowDown'), /answered PUT with 503 SlowDown: m$/],
])('a store that %s fails after a bounded time, and is used afterwards', async (_, outage, message) => {
  const { destination, store } = scripted();
  store.outage = outage;
  const beganMs = performance.now();
  expect(String(await created(destination).catch((error: unknown) => error))).toMatch(message);
  expect(performance.now() - beganMs).toBeLessThan(2_000);
  store.outage = undefined;
  expect(await created(destination)).toBe(MEBIBYTE);
});

test.each<[string, ScriptedAnswer, string]>([
  ['a denied request', failing(403, 'AccessDenied'), '403 AccessDenied: m'],
  [
    'a wrong clock',
    failing(403, 'RequestTimeTooSkewed', { date: new Date(Date.now() - 3_600_000).toUTCString() }),
    '403 RequestTimeTooSkewed: m; the clocks differ by 3600 s',
  ],
  [
    'a bucket of another region',
    failing(301, 'PermanentRedirect', { 'x-amz-bucket-region': 'eu-north-1' }),
    '301 PermanentRedirect: m; the bucket is in the region eu-north-1',
  ],
])('%s is not repeated, and its error says what to do, without credentials', async (_, answer, message) => {
  const { destination, store } = scripted([answer]);
  const failure = await created(destination).catch((thrown: unknown) => String(thrown));
  // Loading the tests has taken some seconds since the answer was written.
  expect(String(failure).replace(/36\d\d s$/, '3600 s')).toBe(
    `S3Failure: the object store answered PUT with ${message}`,
  );
  expect(store.requests).toHaveLength(1);
});

test('credentials that have expired and are not renewed are named as such', async () => {
  const { destination, store } = scripted();
  store.outage = failing(400, 'ExpiredToken');
  await expect(created(destination)).rejects.toThrow('400 ExpiredToken');
});

test('an object of somebody else stays as it is', async () => {
  const { destination } = scripted();
  await created(destination);
  expect(await destination.create(NAME, 1, parts(1, 7))).toBeUndefined();
  expect(await destination.create(NAME, 1, parts(2))).toBeUndefined();
  expect(await bytesOf(destination)).toBe(MEBIBYTE);
});

const UNCONDITIONAL: ReadonlyArray<[options: ScriptedStoreOptions, found: string]> = [
  [{ isConditional: false }, '16 of 16 requests created one object'],
  [{ ignores: 'match' }, 'it ignores If-Match'],
  [{ ignores: 'parts' }, 'it ignores If-None-Match when parts are put together'],
];

test.each(UNCONDITIONAL)('a store that does not check every condition is rejected: %j', async (options, found) => {
  const { destination, store } = scripted([], options);
  const acquired = destination.acquire(OWNER);
  await expect(acquired).rejects.toThrow(`s3://bucket/p has no conditional requests (${found})`);
  expect([...store.objects.keys()]).toEqual([]);
});

test('a probe whose answer was lost is repeated, and leaves nothing', async () => {
  const { destination, store } = scripted([LOST]);
  const failure = await destination.acquire(OWNER).catch((error: unknown) => error);
  expect(failure).not.toBeInstanceOf(ShippingStopped);
  expect(String(failure)).toContain('could not be found out');
  store.script.push(failing(403, 'AccessDenied'));
  await expect(destination.acquire(OWNER)).rejects.toThrow('403 AccessDenied');
  expect([...store.objects.keys()]).toEqual([]);
  await (await destination.acquire(OWNER)).release();
  expect([...store.objects.keys()]).toEqual(['/bucket/p/owner.json']);
});

test('a store may take longer to put an object together than to answer', async () => {
  const part: ScriptedAnswer = () => new Response('', { headers: { ETag: '"1"' } });
  const { destination, store } = scripted([
    () => new Response('<UploadId>u</UploadId>'),
    part,
    part,
    async () => {
      await Bun.sleep(1_000);
      return new Response('<ETag>"2"</ETag>');
    },
  ]);
  expect(await destination.create(NAME, 1, parts(9))).toBe(9 * MEBIBYTE);
  expect(store.requests.map((each) => each.slice(0, 4))).toEqual(['POST', 'PUT ', 'PUT ', 'POST']);
});

test('a snapshot whose answers were lost is continued', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-lost-'));
  const store = new ScriptedObjectStore();
  stores.push(store);
  let lost = 0;
  store.loses = (request) => request.startsWith('PUT /bucket/p/0009/') && lost++ < 4;
  const path = join(folder, 'a.db');
  const writer = new Database(path, { create: true });
  for (const pragma of ['journal_mode = WAL', 'wal_autocheckpoint = 0']) writer.run(`PRAGMA ${pragma}`);
  writer.run('CREATE TABLE settings (name, value); CREATE TABLE t (id INTEGER PRIMARY KEY)');
  const program = `
    const { runShippingProcess } = await import(${JSON.stringify(join(import.meta.dir, 'shipping-process.ts'))});
    const { systemClock } = await import(${JSON.stringify(join(import.meta.dir, '../../../../base/clock.ts'))});
    runShippingProcess({ clock: systemClock, environment: process.env });
  `;
  const lines: string[] = [];
  const backup = new ContinuousBackup({
    request: {
      path,
      folder,
      url: `s3://bucket/p?endpoint=${store.origin}`,
      assumesSoleWriter: false,
      intervalMs: 50,
      pitrWindowMs: 1_000,
      retentionMs: 1_000_000,
      bytesPerSecond: 0,
      minFreeBytes: undefined,
      processId: process.pid,
    },
    maxLogBytes: MEBIBYTE,
    command: [process.execPath, '-e', program],
    environment: { ...process.env, AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' },
    clock: systemClock,
    log: (level, text) => lines.push(`${level}: ${text}`),
  });
  try {
    while (!lines.some((line) => /continues at|has stopped/.test(line))) await Bun.sleep(20);
    expect(lines.join()).not.toContain('has stopped');
    writer.run('INSERT INTO t VALUES (1)');
    while (![...store.objects.keys()].some((key) => key.startsWith('/bucket/p/0000/'))) await Bun.sleep(20);
  } finally {
    await backup.end();
    writer.close();
    rmSync(folder, { recursive: true });
  }
}, 60_000);

describe('a backup as an object', () => {
  const environment = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };
  const context = { clock: systemClock, environment };

  function opened(script: readonly ScriptedAnswer[] = []) {
    const { store } = scripted(script);
    return { store, url: `s3://bucket/b?endpoint=${store.origin}` };
  }

  async function written(url: string, fill: number): Promise<void> {
    const output = new ObjectOutput(url, context);
    await output.write(new Uint8Array(1_000).fill(fill));
    await output.complete();
  }

  test('is complete although the answer was lost', async () => {
    const { url } = opened([LOST]);
    await written(url, 1);
    await expect(written(url, 2)).rejects.toThrow('exists, and is not replaced');
  });

  test('without bytes is read as such', async () => {
    const { store, url } = opened();
    store.objects.set('/bucket/b', { bytes: new Uint8Array(0), metadata: {}, modifiedMs: 0 });
    let bytes = 0;
    for await (const chunk of readBackupObject(url, context)) bytes += chunk.length;
    expect(bytes).toBe(0);
  });

  test('is under the path of the endpoint', async () => {
    const { store, url } = opened();
    expect(urlMistake(`${url}/storage/v1/s3`)).toBeUndefined();
    await written(`${url}/storage/v1/s3/`, 1);
    expect([...store.objects.keys()]).toEqual(['/storage/v1/s3/bucket/b']);
  });

  test('has a URL that names it, whatever its characters', () => {
    expect(urlMistake('s3://bucket/100%')).toContain('hexadecimal digits');
    const url = new BackupBucket('s3://bucket/a%25b%3F', context).urlOf('c%20d');
    expect(urlMistake(url)).toBeUndefined();
    expect(decodeURIComponent(new URL(url).pathname)).toBe('/a%b?/c%20d');
  });
});

describe('an owner', () => {
  const SECOND_MS = 1_000;
  const RECORD = '/bucket/p/owner.json';
  const instance = { id: 'i', machine: 'm', boot: 'b' };

  /** Time is advanced manually, except for the pauses between attempts of a request. */
  class OwnerClock extends ManualClock {
    override after(delayMs: number, action: () => void): Timer {
      return systemClock.after(delayMs, action);
    }
  }

  function owned() {
    const { client, store } = scripted();
    const clock = new OwnerClock();
    const open = () => new S3Destination({ client, prefix: 'p', url: 's3://bucket/p', assumesSoleWriter: true, clock });
    const record = (): Record<string, unknown> =>
      JSON.parse(new TextDecoder().decode(store.objects.get(RECORD)?.bytes ?? new Uint8Array()));
    return { store, clock, open, record };
  }

  test.each<[string, Partial<ShippingOwner>, boolean]>([
    ['the same service since the last start of the machine', { processId: 2 }, true],
    ['the same service after a start of the machine', { instance: { ...instance, boot: 'c' } }, false],
    ['a machine of the same image', { instance: { ...instance, machine: 'n', boot: 'c' } }, false],
    ['a folder of the same image on the same machine', { instance: { ...instance, boot: 'c' } }, false],
    ['a service with another id', { instance: { ...instance, id: 'j' } }, false],
    ['a service of an earlier build, without an id', { instance: undefined }, false],
    ['another host', { host: 'other' }, false],
    ['another folder', { folder: '/other' }, false],
  ])('that has not released the destination: %s has it at once: %p', async (_, other, isAtOnce) => {
    const { clock, open } = owned();
    const first = await open().acquire({ ...OWNER, instance });
    const taker = open();
    const second = { ...OWNER, instance, ...other };
    if (!isAtOnce) {
      await expect(taker.acquire(second)).rejects.toThrow('belongs to process 1 on h, data folder /data');
      clock.advance(9 * SECOND_MS);
      await expect(taker.acquire(second)).rejects.toThrow('belongs to');
      // It is not renewed any more.
      await first.release();
    }
    expect((await taker.acquire(second)).epoch).toBe(2n);
  });

  test('that was another service is named, also if it has the same names', async () => {
    const { open } = owned();
    await (await open().acquire({ ...OWNER, instance })).release();
    const second = await open().acquire({ ...OWNER, instance: { ...instance, boot: 'c' } });
    expect(second.takenFrom).toBeUndefined();
    await second.release();
    const third = await open().acquire({ ...OWNER, instance: { ...instance, machine: 'n', boot: 'c' } });
    expect(third.takenFrom).toBe('process 1 on h, data folder /data');
    await third.release();
  });

  test('changes nothing from its release on, whether that is answered or not', async () => {
    const { store, clock, open, record } = owned();
    const first = await open().acquire(OWNER);
    store.outage = LOST;
    const released = first.release();
    expect(() => first.check()).toThrow('was released');
    await expect(Promise.resolve(released)).rejects.toThrow('InternalError');
    expect(record().released).toBe(true);
    store.outage = undefined;
    clock.advance(60 * SECOND_MS);
    await Bun.sleep(50);
    expect(record().released).toBe(true);
    expect(() => first.check()).toThrow('was released');
    expect((await open().acquire({ ...OWNER, host: 'other' })).epoch).toBe(2n);
  });

  test('does not renew over a release of its own', async () => {
    const { store, clock, open, record } = owned();
    const first = await open().acquire(OWNER);
    const bytes = new TextEncoder().encode(JSON.stringify({ ...record(), released: true }));
    store.objects.set(RECORD, { bytes, metadata: {}, modifiedMs: 0 });
    clock.advance(10 * SECOND_MS);
    while (store.requests.filter((each) => each === `GET ${RECORD}`).length < 2) await Bun.sleep(5);
    clock.advance(10 * SECOND_MS);
    await Bun.sleep(50);
    expect(record().released).toBe(true);
    expect(() => first.check()).toThrow('another service has taken');
  });

  test.each(['', '{}', 'text', '{"processId":1,"host":"h"}'])(
    's record that is none is not replaced: %p',
    async (text) => {
      const { store, open } = owned();
      const bytes = new TextEncoder().encode(text);
      store.objects.set(RECORD, { bytes, metadata: {}, modifiedMs: 0 });
      await expect(open().acquire(OWNER)).rejects.toThrow('owner.json in s3://bucket/p is not a record of svc');
      expect(store.objects.get(RECORD)?.bytes).toEqual(bytes);
    },
  );
});

test('an object with the same length and end is another one', async () => {
  const { destination } = scripted();
  async function* chunks(fill: number): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(100).fill(fill);
    yield new Uint8Array(100).fill(7);
  }
  expect(await destination.create(NAME, 1, chunks(1))).toBe(200);
  expect(await destination.create(NAME, 1, chunks(1))).toBe(200);
  expect(await destination.create(NAME, 1, chunks(2))).toBeUndefined();
});

describe('times of objects', () => {
  const HOUR_MS = 3_600_000;
  /** One object a second, starting with a snapshot. */
  const COUNT = 1_000;

  async function filled() {
    const { destination, store } = scripted();
    const ownership = await destination.acquire(OWNER);
    async function* nothing(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(100);
    }
    const create = (level: number, first: bigint, last: bigint) =>
      destination.create({ level, first, last }, HOUR_MS + Number(last) * 1_000, nothing());
    await create(9, 1n, 1n);
    for (let last = 2n; last <= COUNT; last++) await create(0, last, last);
    await create(1, 2n, 30n);
    store.requests.length = 0;
    const { endpoint } = { endpoint: store.origin };
    const environment = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };
    const url = `s3://bucket/p?endpoint=${endpoint}`;
    return { store, ownership, fresh: () => openDestination(url, { clock: systemClock, environment }) };
  }

  const heads = ({ requests }: ScriptedObjectStore) => requests.filter((each) => each.startsWith('HEAD')).length;

  test('an instant is found with few requests', async () => {
    const { store, ownership, fresh } = await filled();
    const destination = fresh();
    const objects = await destination.objects();
    const plan = await planRestore(destination, objects, { atMs: HOUR_MS + 500_999 });
    expect(plan.at(-1)?.last).toBe(500n);
    expect(heads(store)).toBeLessThanOrEqual(11);
    await expect(planRestore(destination, objects, { atMs: HOUR_MS })).rejects.toThrow(
      `from ${new Date(HOUR_MS + 1_000).toISOString()} (position 0000000000000001) ` +
        `to ${new Date(HOUR_MS + COUNT * 1_000).toISOString()}`,
    );
    await ownership.release();
  });

  test('a start reads those that are still to be merged', async () => {
    const { store, ownership, fresh } = await filled();
    const owned = new OwnedDestination(fresh(), ownership);
    const merged = (await owned.objects()).filter(({ level }) => level === 1);
    expect(heads(store)).toBe(2);
    expect(merged).toMatchObject([{ last: 30n, timestampMs: HOUR_MS + 30_000 }]);
    await ownership.release();
  });
});

test('a certificate of an authority of one`s own is accepted with AWS_CA_BUNDLE', async () => {
  const authority = createCertificate('authority');
  const { cert, key } = createCertificate('localhost', { issuer: authority, hosts: ['localhost'] });
  const store = new ScriptedObjectStore({ tls: { cert, key } });
  stores.push(store);
  const folder = mkdtempSync(join(tmpdir(), 'svc-authority-'));
  const file = join(folder, 'authority.pem');
  writeFileSync(file, authority.cert);
  const url = `s3://bucket/p?endpoint=${store.origin.replace('127.0.0.1', 'localhost')}`;
  const access = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };
  const open = (environment: Readonly<Record<string, string>>) =>
    openDestination(url, { clock: systemClock, environment: { ...access, ...environment } });
  expect(await created(open({ AWS_CA_BUNDLE: file }))).toBe(MEBIBYTE);
  await expect(created(open({}))).rejects.toThrow(/did not answer PUT: .*certificate/);
  rmSync(folder, { recursive: true });
}, 30_000);

test('parts of all objects that were never completed are removed, also beyond the first answer', async () => {
  const queries: string[] = [];
  const noted = (text: string, status = 200): ScriptedAnswer => {
    return ({ url }) => {
      queries.push(new URL(url).search);
      return new Response(text === '' ? null : text, { status });
    };
  };
  const uploads = (numbers: readonly number[], end: string): ScriptedAnswer => {
    const listed = numbers.map((at) => `<Upload><Key>p/${at}</Key><UploadId>id${at}</UploadId></Upload>`);
    return noted(`<ListMultipartUploadsResult>${listed.join('')}${end}</ListMultipartUploadsResult>`);
  };
  const { client, store } = scripted();
  const removed = noted('', 204);
  const next = '<IsTruncated>true</IsTruncated><NextKeyMarker>p/2</NextKeyMarker>';
  store.script.push(
    uploads([1, 2], `${next}<NextUploadIdMarker>id2</NextUploadIdMarker>`),
    ...[removed, removed],
    uploads([3, 4], '<IsTruncated>false</IsTruncated>'),
    removed,
  );
  await client.abortAllParts('p/', (key) => key !== 'p/3');
  expect(queries).toEqual([
    '?uploads=&prefix=p%2F',
    '?uploadId=id1',
    '?uploadId=id2',
    '?uploads=&prefix=p%2F&key-marker=p%2F2&upload-id-marker=id2',
    '?uploadId=id4',
  ]);
});

test.each<[string, Record<string, string>, string | undefined]>([
  ['the general variable', { AWS_ENDPOINT_URL: 'store:9000' }, 'AWS_ENDPOINT_URL must be an http or https URL'],
  ['that of S3 before it', { AWS_ENDPOINT_URL_S3: 'x', AWS_ENDPOINT_URL: 'http://s' }, 'AWS_ENDPOINT_URL_S3 must be'],
  ['one with credentials', { AWS_ENDPOINT_URL: 'http://user:password@store' }, 'AWS_ENDPOINT_URL must be'],
  ['a valid one', { AWS_ENDPOINT_URL: 'https://store:9000/path' }, undefined],
])('the endpoint is checked: %s', (_, environment, mistake) => {
  const open = () => openDestination('s3://bucket/p', { clock: systemClock, environment });
  if (mistake === undefined) open();
  else expect(open).toThrow(mistake);
  expect(open).not.toThrow('password');
  // The endpoint of the URL is used instead.
  openDestination('s3://bucket/p?endpoint=http://store', { clock: systemClock, environment });
});
