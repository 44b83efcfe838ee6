/**
 * Imports a table while the service is killed and connections are cut, and continues until all is stored. Afterwards
 * every row must be there exactly once, and after each kill exactly as many as the stored position says.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { seededRandom } from '../../fixtures/values/random-values.ts';
import { freePort } from '../../free-port.ts';
import { rawSocket } from '../../system/raw-socket.ts';
import { type Answer, newFolder, queryOf, type ServiceProcess, startService } from '../../system/service-process.ts';

const COLUMNS = 'id BIGINT PRIMARY KEY, name VARCHAR, amount DECIMAL(12, 2)';
const IMPORT = { table: 'imported', importId: 'interrupted' };
/** Maximum bytes that a cut connection sends between readings of the clock. */
const SENT_BYTES = 256 * 1_024;

export interface InterruptedImportOptions {
  readonly rows: number;
  readonly seed: number;
  /** Number of SIGKILLs of the service, and of cut connections. */
  readonly interruptions: number;
  /** Longest time until an interruption. */
  readonly longestMs: number;
  readonly onInterruption?: (line: string) => void;
}

export interface InterruptedImport {
  readonly kills: number;
  readonly cuts: number;
  /** Interruptions in the middle of the import: something was stored, but not all. */
  readonly inside: number;
  readonly wrong: readonly string[];
}

interface Report {
  readonly state: string;
  readonly rows: number;
  readonly offset: number;
}

const reportOf = ({ response }: Answer): Report => (response as Report | null) ?? { state: 'open', rows: 0, offset: 0 };

function sourceOf(rows: number): Buffer {
  const lines = Array.from({ length: rows }, (_, id) => `${id},"Name, ${id}",${(id % 1_000) / 100}\n`);
  return Buffer.from(`id,name,amount\n${lines.join('')}`);
}

async function storedRows(service: ServiceProcess): Promise<readonly [count: number, sum: number | null]> {
  const qry = 'SELECT COUNT(*), SUM(id) FROM Imported';
  const response = (await service.command(queryOf({ cmd: 'qryfldexe', pageSize: 1, qry }))) as { items: unknown[] };
  return response.items[0] as readonly [number, number | null];
}

function send(service: ServiceProcess, body: Uint8Array, offset = 0): Promise<Answer> {
  const headers = { 'Content-Type': 'text/csv' };
  return service.send(queryOf({ cmd: 'import', ...IMPORT, offset }), { method: 'POST', headers, body });
}

const stateOf = (service: ServiceProcess) => service.send(queryOf({ cmd: 'importstate', importId: IMPORT.importId }));

/** Sends the source and cuts the connection after a time. */
async function cut(service: ServiceProcess, source: Uint8Array, offset: number, afterMs: number): Promise<void> {
  const socket = await rawSocket(service.port);
  const query = queryOf({ cmd: 'import', ...IMPORT, offset });
  const head =
    `POST /svc?${query} HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\n` +
    `Content-Length: ${source.length}\r\n\r\n`;
  const endMs = performance.now() + afterMs;
  await socket.send(head);
  for (let at = 0; at < source.length - 1 && performance.now() < endMs; at += SENT_BYTES) {
    await socket.send(source.subarray(at, Math.min(source.length - 1, at + SENT_BYTES)));
  }
  await Bun.sleep(Math.max(0, endMs - performance.now()));
  socket.end();
}

/** Sends the rest of the source until no other request runs the import. */
async function complete(service: ServiceProcess, source: Uint8Array, offset: number): Promise<Answer> {
  for (let tries = 0; ; tries++) {
    const answer = await send(service, source.subarray(offset), offset);
    if (tries > 500 || answer.error?.includes('Another request') !== true) return answer;
    await Bun.sleep(20);
  }
}

export async function runInterruptedImport(options: InterruptedImportOptions): Promise<InterruptedImport> {
  const { rows, seed, interruptions, longestMs, onInterruption } = options;
  const random = seededRandom(seed);
  const source = sourceOf(rows);
  const folder = newFolder();
  const dataDir = join(folder, 'data');
  const port = freePort();
  const wrong: string[] = [];
  let inside = 0;
  let service = await startService({ dataDir, port });
  try {
    await service.command(queryOf({ cmd: 'qryfldexe', pageSize: 1, qry: `CREATE TABLE Imported(${COLUMNS})` }));
    for (let done = 0; done < 2 * interruptions; done++) {
      const isKill = done % 2 === 0;
      const afterMs = random.below(longestMs);
      // Half of the requests send the whole source again, as a client without a position would.
      const { offset } = random.below(2) === 0 ? reportOf(await stateOf(service)) : { offset: 0 };
      if (isKill) {
        const sending = send(service, source.subarray(offset), offset).catch(() => undefined);
        await Bun.sleep(afterMs);
        await service.kill();
        await sending;
        service = await startService({ dataDir, port });
      } else await cut(service, source.subarray(offset), offset, afterMs);
      const report = reportOf(await stateOf(service));
      const [count] = await storedRows(service);
      if (isKill && count !== report.rows)
        wrong.push(`after kill ${done}: ${count} rows, the position says ${report.rows}`);
      if (count > 0 && count < rows) inside++;
      onInterruption?.(`${isKill ? 'kill' : 'cut'} after ${afterMs} ms: ${count} rows stored`);
    }
    const { offset } = reportOf(await stateOf(service));
    const answer = await complete(service, source, offset);
    const { state, rows: reported } = reportOf(answer);
    if (state !== 'done' || reported !== rows) wrong.push(`the last request ended with ${answer.text}`);
    const [count, sum] = await storedRows(service);
    if (count !== rows || sum !== (rows * (rows - 1)) / 2) wrong.push(`${count} rows with the sum ${sum} are stored`);
    return { kills: interruptions, cuts: interruptions, inside, wrong };
  } finally {
    await service[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  }
}
