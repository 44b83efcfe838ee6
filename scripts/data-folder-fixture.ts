/**
 * Creates a kept data folder: `npm run keep:folder -- NAME [--checkout FOLDER]` starts the program of a
 * checkout (this one by default), stores test/fixtures/data-folders/contents.ts, and keeps the files and the responses
 * in test/fixtures/data-folders/NAME. A name that ends with `-killed` kills the program instead of stopping it, so that
 * the write-ahead log is part of the folder. Run it with every release that changes the schema version.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ADMIN_PASSWORD, contentOf, READ, type Request, STORE } from '../test/fixtures/data-folders/contents.ts';
import { newFolder, queryOf, type ServiceProcess, startService } from '../test/system/service-process.ts';

const root = join(import.meta.dir, '..');
const { values, positionals } = parseArgs({
  options: { checkout: { type: 'string', default: root } },
  allowPositionals: true,
});
const [name] = positionals;
if (name === undefined) throw new Error('usage: npm run keep:folder -- NAME [--checkout FOLDER]');
const LEVEL = 19;

function start(dataDir: string): Promise<ServiceProcess> {
  return startService({
    dataDir,
    program: [process.execPath, join(values.checkout, 'src/main.ts')],
    cwd: values.checkout,
    args: ['--config', join(root, 'test/fixtures/data-folders/fixture.config.ts')],
    env: { SVC_AUTHENTICATION: 'true', SVC_ADMIN_PASSWORD: ADMIN_PASSWORD },
  });
}

async function logIn(service: ServiceProcess): Promise<string> {
  const login = { cmd: 'authenticate', 'svc.login': 'svc', 'svc.password': ADMIN_PASSWORD };
  return (await service.send(queryOf(login))).sessionToken ?? '';
}

async function send(service: ServiceProcess, request: Request, sessionToken: string): Promise<string> {
  const { error, text } = await service.send(queryOf({ ...request, sessionToken }));
  if (error !== null) throw new Error(`${queryOf(request)}: ${error}`);
  return contentOf(text);
}

const dataDir = newFolder();
const target = join(root, 'test/fixtures/data-folders', name);
const isKilled = name.endsWith('-killed');
try {
  const service = await start(dataDir);
  const token = await logIn(service);
  for (const request of STORE) await send(service, request, token);
  await (isKilled ? service.kill() : service.stop());
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  for (const file of readdirSync(dataDir)) {
    if (!/^svc\.db(?:-wal)?$/.test(file)) continue;
    const bytes = readFileSync(join(dataDir, file));
    writeFileSync(join(target, `${file}.zst`), Bun.zstdCompressSync(bytes, { level: LEVEL }));
  }
  await using again = await start(dataDir);
  const nextToken = await logIn(again);
  const responses: string[] = [];
  for (const request of READ) responses.push(`${queryOf(request)}\t${await send(again, request, nextToken)}\n`);
  writeFileSync(join(target, 'responses.tsv'), responses.join(''));
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}
process.stdout.write(`${target}: ${readdirSync(target).join(', ')}\n`);
