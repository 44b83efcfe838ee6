/** Prometheus' blackbox exporter probes the service as operators configure it (docs/operating.md). */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { type ServiceProcess, startService } from '../system/service-process.ts';
import { blackboxExporter } from './programs.ts';

setDefaultTimeout(60_000);
const START_LIMIT_MS = 10_000;

/** The configuration that the document shows. */
const document = readFileSync(join(import.meta.dir, '../../docs/operating.md'), 'utf8');
const shown = document.match(/```json\n(\{\n {2}"modules".*?)```/s)?.[1] ?? '{}';
/** Accepts compressed responses, and checks that they are the document. */
const COMPRESSED = {
  prober: 'http',
  timeout: '2s',
  http: { compression: 'gzip', headers: { 'Accept-Encoding': 'gzip' }, fail_if_body_not_matches_regexp: ['openapi'] },
};

const program = await blackboxExporter();

if ('missing' in program) test.skip(`the blackbox exporter (${program.missing})`, () => {});
else {
  let service: ServiceProcess;
  let exporter: Bun.Subprocess;
  let port: number;

  beforeAll(async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'svc-blackbox-')), 'blackbox.json');
    const { modules } = JSON.parse(shown) as { modules: object };
    writeFileSync(file, JSON.stringify({ modules: { ...modules, compressed: COMPRESSED } }));
    port = freePort();
    service = await startService();
    exporter = Bun.spawn([program.path, `--config.file=${file}`, `--web.listen-address=127.0.0.1:${port}`], {
      stdout: 'ignore',
      stderr: 'ignore',
    });
    const endMs = performance.now() + START_LIMIT_MS;
    while (
      !(await fetch(`http://127.0.0.1:${port}/-/healthy`).then(
        (answer) => answer.ok,
        () => false,
      ))
    ) {
      if (performance.now() > endMs) throw new Error('the exporter does not start');
      await Bun.sleep(50);
    }
  });
  afterAll(async () => {
    exporter.kill();
    await exporter.exited;
    await service.stop();
  });

  async function probe(module: 'ready' | 'command' | 'compressed', target: string): Promise<string> {
    const query = new URLSearchParams({ module, target });
    return (await fetch(`http://127.0.0.1:${port}/probe?${query}`)).text();
  }

  test('readiness is up, and down after the service was stopped', async () => {
    await using other = await startService();
    expect(await probe('ready', `${other.origin}/health/ready`)).toContain('\nprobe_success 1\n');
    await other.stop();
    expect(await probe('ready', `${other.origin}/health/ready`)).toContain('\nprobe_success 0\n');
  });

  test('a command in a JSON body succeeds, and its failure is one', async () => {
    expect(await probe('command', service.url)).toContain('\nprobe_success 1\n');
    expect(await probe('command', `${service.url}?cmd=nosuch`)).toContain('\nprobe_success 0\n');
  });

  test('it reads compressed documents', async () => {
    const text = await probe('compressed', `${service.origin}/openapi.json`);
    expect(text).toContain('\nprobe_success 1\n');
    const bytes = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
    expect(bytes('probe_http_content_length')).toBeLessThan(bytes('probe_http_uncompressed_body_length'));
  });
}
