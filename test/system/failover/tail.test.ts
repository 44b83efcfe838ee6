/** `svc tail` prints what was committed after the last shipped frame. */
import { expect, test } from 'bun:test';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { outputOf } from '../../ended-program.ts';
import { runSvcProcess } from '../cli/cli-process.ts';
import { newFolder, type ServiceProcess, startService } from '../service-process.ts';

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/** Copies the data of a running service, as the program of another process. */
async function keep({ dataDir }: ServiceProcess, folder: string): Promise<void> {
  mkdirSync(folder);
  for (const name of ['svc.db', 'svc.db-wal']) await outputOf(['cp', join(dataDir, name), join(folder, name)]);
}

/** Returns the last frame of a log, and how many pages the database has there. */
function endOf(log: Buffer): { readonly frame: number; readonly pages: number } {
  const frameBytes = FRAME_HEADER_BYTES + log.readUInt32BE(8);
  const frame = Math.floor((log.length - HEADER_BYTES) / frameBytes);
  return { frame, pages: log.readUInt32BE(HEADER_BYTES + (frame - 1) * frameBytes + 4) };
}

const sql = (service: ServiceProcess, text: string) =>
  service.command(`cmd=qryfldexe&pageSize=10&qry=${encodeURIComponent(text)}`);

test('the changes after what was shipped are commands', async () => {
  const root = newFolder();
  const env = {
    SVC_WORKERS: '1',
    SVC_BACKUP_CONTINUOUS_URL: `file://${join(root, 'destination')}`,
    // The log keeps everything.
    SVC_BACKUP_CONTINUOUS_INTERVAL_MS: '30000',
  };
  await using service = await startService({ env });
  const put = (query: string) => service.command(`cmd=put&${query}`);
  await sql(service, 'CREATE TABLE person (id INT PRIMARY KEY, name VARCHAR, balance DECIMAL(10,2))');
  await sql(service, "INSERT INTO person VALUES (1, 'Ann', 1.50), (2, 'Bob', 2.50), (3, 'Cid', 3.50)");
  await put('key=same&val=1');
  await put('key=changed&val=1');
  await put('key=gone&val=1');
  await service.command('cmd=incr&key=orders&delta=3');
  await keep(service, join(root, 'before'));

  await sql(service, "UPDATE person SET name = 'Beth' WHERE id = 2");
  await sql(service, 'DELETE FROM person WHERE id = 3');
  await put('key=changed&val=2');
  await put('key=9007199254740993&keyType=long&val=1.10&valueType=java.math.BigDecimal');
  await service.command('cmd=rmv&key=gone');
  await service.command('cmd=incr&key=orders&delta=4');
  await service.command('cmd=getorcreate&cacheName=added');
  await put('cacheName=added&key=a&val=b&exp=3600000');
  const deposed = join(root, 'deposed');
  await keep(service, deposed);

  const tail = () => runSvcProcess(['tail', deposed], { cwd: root });
  expect(await tail()).toMatchObject({ exitCode: 1, errors: expect.stringContaining('what was not is not known') });
  const shipped = endOf(readFileSync(join(root, 'before/svc.db-wal')));
  writeFileSync(join(deposed, 'shipped.json'), JSON.stringify(shipped));
  const sizes = () => readdirSync(deposed).map((name) => [name, statSync(join(deposed, name)).size]);
  const kept = sizes();
  const { exitCode, output, errors } = await tail();
  expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' });
  expect(sizes()).toEqual(kept);
  const lines = output.trimEnd().split('\n');
  const [expiring] = lines.filter((line) => line.includes('"ttlMs"'));
  expect(JSON.parse(expiring ?? '').ttlMs).toBeWithin(3_000_000, 3_600_001);
  const named = lines.map((line) => line.replace(/(SQL_PUBLIC_PERSON)_[0-9a-f_]+/, '$1_ID'));
  expect(named.filter((line) => line !== expiring).sort()).toEqual(
    [
      '# the cache added was created',
      '{"cmd":"rmv","cacheName":"default","key":"gone","keyType":"string"}',
      '{"cmd":"put","cacheName":"default","key":"changed","keyType":"string","val":"2","valueType":"string"}',
      '{"cmd":"put","cacheName":"default","key":9007199254740993,"keyType":"long","val":1.10,"valueType":"java.math.BigDecimal"}',
      '{"cmd":"rmv","cacheName":"SQL_PUBLIC_PERSON","key":3,"keyType":"integer"}',
      '{"cmd":"put","cacheName":"SQL_PUBLIC_PERSON","key":2,"keyType":"integer",' +
        '"val":{"NAME":"Beth","BALANCE":2.50},"valueType":"SQL_PUBLIC_PERSON_ID"}',
      '{"cmd":"incr","key":"orders","delta":4}',
    ].sort(),
  );
  // Its output is executed unchanged.
  const again = await startService({ env: { SVC_WORKERS: '1' } });
  for (const line of lines) {
    if (line.startsWith('#') || line.includes('PERSON')) continue;
    if (line.includes('"added"')) await again.command('cmd=getorcreate&cacheName=added');
    const answer = await fetch(again.url, {
      method: 'POST',
      body: line,
      headers: { 'content-type': 'application/json' },
    });
    expect([line, answer.status]).toEqual([line, 200]);
  }
  expect(await again.command('cmd=get&key=9007199254740993&keyType=long')).toBe(1.1);
  await again.stop();
  rmSync(root, { recursive: true, force: true });
}, 60_000);
