/** Data folders that older releases wrote: each opens, and everything in it is there. */
import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import product from '../../package.json' with { type: 'json' };
import { verifyFolder } from '../../src/engines/embedded/backup/verify.ts';
import { ABSENT, ADMIN_PASSWORD, contentOf, READ, USER } from '../fixtures/data-folders/contents.ts';
import { expectedOf, KEPT, unpackKept } from '../fixtures/data-folders/kept.ts';
import { newFolder, queryOf, type ServiceProcess, StartFailure, startService } from './service-process.ts';

const FOLDERS = readdirSync(KEPT, { withFileTypes: true }).filter((entry) => entry.isDirectory());

/** Copies a kept folder to a new one. */
function unpack(name: string): string {
  const folder = newFolder();
  unpackKept(name, folder);
  return folder;
}

function open(dataDir: string): Promise<ServiceProcess> {
  return startService({
    dataDir,
    args: ['--config', join(KEPT, 'fixture.config.ts')],
    env: { SVC_AUTHENTICATION: 'true', SVC_ADMIN_PASSWORD: 'not the one of the folder' },
  });
}

async function logIn(service: ServiceProcess, name: string, password: string): Promise<string> {
  const answer = await service.send(queryOf({ cmd: 'authenticate', 'svc.login': name, 'svc.password': password }));
  expect(answer.error).toBeNull();
  return answer.sessionToken ?? '';
}

/** Runs a statement on a data file that no process has open. */
function change(folder: string, sql: string): void {
  const database = new Database(join(folder, 'svc.db'), { readwrite: true, create: false });
  database.run(sql);
  database.close(true);
}

describe('the data folder of', () => {
  for (const { name } of FOLDERS) {
    test(`${name} opens with all its contents, and can be changed`, async () => {
      const dataDir = unpack(name);
      const expected = expectedOf(name);
      expect(expected.size).toBe(READ.length);
      try {
        // The first start migrates the folder, the second one opens what the first one wrote.
        for (const start of ['first', 'second']) {
          await using service = await open(dataDir);
          const sessionToken = await logIn(service, 'svc', ADMIN_PASSWORD);
          const answers = await Promise.all(
            READ.map(async (request) => [request, (await service.send(queryOf({ ...request, sessionToken }))).text]),
          );
          for (const [request, text] of answers as Array<[Record<string, string>, string]>) {
            const query = queryOf(request);
            expect([start, query, contentOf(text)]).toEqual([start, query, expected.get(query) ?? '']);
          }
          for (const request of ABSENT) {
            const { successStatus } = await service.send(queryOf({ ...request, sessionToken }));
            expect([queryOf(request), successStatus]).toEqual([queryOf(request), 1]);
          }
          await logIn(service, USER.name, USER.password);
          const changes = [
            { cmd: 'put', cacheName: `new ${start}`, key: 'a', val: 'b' },
            { cmd: 'qryfldexe', pageSize: '1', qry: "INSERT INTO everything (id, part) VALUES (9, 'new')" },
            { cmd: 'qryfldexe', pageSize: '1', qry: 'DELETE FROM everything WHERE id = 9' },
          ];
          await service.send(queryOf({ cmd: 'getorcreate', cacheName: `new ${start}`, sessionToken }));
          for (const each of changes) {
            expect((await service.send(queryOf({ ...each, sessionToken }))).error).toBeNull();
          }
          expect(await service.stop()).toBe(0);
        }
        expect(verifyFolder(dataDir, () => {}).violations).toEqual([]);
        const database = new Database(join(dataDir, 'svc.db'), { readwrite: true, create: false });
        expect(database.query("SELECT value FROM settings WHERE name = 'programVersion'").values()).toEqual([
          [product.version],
        ]);
        database.close(true);
      } finally {
        rmSync(dataDir, { recursive: true, force: true });
      }
    }, 30_000);
  }
});

test('a folder of a newer schema version is rejected with both versions, and not changed', async () => {
  const dataDir = unpack('1.0.0');
  try {
    change(dataDir, 'PRAGMA user_version = 99');
    change(dataDir, "INSERT INTO settings VALUES ('programVersion', '7.8.9')");
    const before = Bun.hash(readFileSync(join(dataDir, 'svc.db')));
    const failure = await open(dataDir).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (!(failure instanceof StartFailure)) throw new Error('The service started.');
    expect(failure.exitCode).toBe(1);
    expect(failure.output).toContain('newer program (7.8.9) and has schema version 99');
    expect(failure.output).toMatch(new RegExp(`this program \\(${product.version}\\) supports versions up to \\d+`));
    expect(failure.output).toContain(dataDir);
    expect(Bun.hash(readFileSync(join(dataDir, 'svc.db')))).toBe(before);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});
