/** Handovers requested by a person, and what services report about their role. */
import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Pair } from '../../proof/failover/failover-pair.ts';
import { ScriptedObjectStore } from '../../scripted-object-store.ts';
import { runSvcProcess } from '../cli/cli-process.ts';
import type { ServiceProcess } from '../service-process.ts';
import { until } from '../until.ts';

const LIMIT_MS = 120_000;
const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'svc-test', AWS_SECRET_ACCESS_KEY: 'svc-test-key' };

const put = (service: ServiceProcess, key: string, value: string) => service.command(`cmd=put&key=${key}&val=${value}`);
const run = (args: readonly string[], service: ServiceProcess) =>
  runSvcProcess([...args, '--data-dir', service.dataDir], { cwd: service.dataDir });
const status = async (service: ServiceProcess) => {
  const { exitCode, output } = await run(['status', '--json'], service);
  return { exitCode, report: JSON.parse(output) as Record<string, unknown> };
};
const promote = (service: ServiceProcess, ...more: string[]) => run(['promote', ...more], service);

describe.each([['a bucket'], ['a folder']])('over %s', (kind) => {
  test(
    'the primary hands over to the standby that was promoted, and follows it',
    async () => {
      using store = new ScriptedObjectStore();
      const url = store.bucketUrl('svc');
      await using pair = new Pair(kind === 'a bucket' ? { url, env: CREDENTIALS } : {});
      const a = await pair.startPrimary('a');
      await until('it says so', () => a.output().includes('primary since takeover 1: there was no primary\n'));
      const b = await pair.start('b');
      await until('it says so', () => b.output().includes('standby of http://a.example:8080\n'));
      await put(a, 'k', '1');
      await pair.untilFollowing('b');
      expect(await status(a)).toMatchObject({ exitCode: 0, report: { state: 'ready', role: 'primary', epoch: 1 } });
      expect(await status(b)).toMatchObject({
        exitCode: 0,
        report: {
          state: 'standby',
          role: 'standby',
          primary: 'http://a.example:8080',
          because: 'there was no primary',
        },
      });
      expect((await promote(a)).output).toBe('it is the primary already, in epoch 1\n');

      // Clients that try both services: every request eventually succeeds, and none is lost.
      const done = Promise.withResolvers<void>();
      let [isOver, written] = [false, 0];
      void done.promise.then(() => {
        isOver = true;
      });
      const client = (async () => {
        while (!isOver) {
          const at = written;
          const answers = await Promise.all(
            [a, b].map((each) => each.send(`cmd=put&key=w${at}&val=${at}`).catch(() => undefined)),
          );
          if (answers.some((answer) => answer?.successStatus === 0 && answer.http === 200)) written++;
        }
      })();
      const { exitCode, output, errors } = await promote(b);
      expect({ exitCode, output, errors }).toEqual({
        exitCode: 0,
        output: 'the primary http://a.example:8080 is asked to hand over: nothing is lost\nprimary since takeover 2\n',
        errors: '',
      });
      done.resolve();
      await client;
      expect(written).toBeGreaterThan(0);
      expect(await b.command('cmd=get&key=k')).toBe('1');
      for (let at = 0; at < written; at++) expect(await b.command(`cmd=get&key=w${at}`)).toBe(`${at}`);

      await pair.untilFollowing('a');
      await until('its data folder names the former primary', async () =>
        /^the primary before has handed over \(process \d+ on /.test(String((await status(a)).report.because)),
      );
      const { report } = await status(a);
      expect(report).toMatchObject({ role: 'standby', epoch: 2, primary: 'http://b.example:8080' });
      // Anyone may ask, so no host, process or folder is named.
      for (const service of [a, b]) {
        const text = await (await fetch(`${service.origin}/health/role`)).text();
        expect(JSON.parse(text)).toMatchObject({ epoch: 2, takeover: { because: 'hand-over', from: null } });
        expect(text).not.toMatch(/process|data folder/);
      }
      const metrics = await (await fetch(`${b.origin}/metrics`)).text();
      expect(metrics).toMatch(/^svc_failover_takeover_timestamp_seconds\{because="hand-over"\} \d/m);
      const node = (await b.command('cmd=node&ip=127.0.0.1&attr=true')) as {
        nodeId: string;
        attributes: Record<string, unknown>;
      };
      expect(node.nodeId).toMatch(/-000000000002$/);
      expect(node.attributes).toMatchObject({ 'svc.failover.role': 'primary', 'svc.failover.epoch': 2 });
      const audit = readFileSync(join(pair.logFolder('b'), 'audit.log'), 'utf8');
      expect(audit).toMatch(/"event":"primary","epoch":2,"because":"the primary before has handed over/);
      expect(readdirSync(b.dataDir)).not.toContain('promote');
    },
    LIMIT_MS,
  );
});

test(
  'a standby takes over from a primary that is gone only with --force where changes may be lost',
  async () => {
    using store = new ScriptedObjectStore();
    const url = store.bucketUrl('svc');
    const env = { ...CREDENTIALS, SVC_BACKUP_CONTINUOUS_ACKNOWLEDGE: 'local' };
    await using pair = new Pair({ url, env });
    const a = await pair.startPrimary('a');
    await put(a, 'k', '1');
    const b = await pair.startStandby('b');
    await a.kill();
    while ((await status(b)).report.reason === undefined) await Bun.sleep(200);
    const loss =
      'the primary does not renew its lease, and all that it had not shipped of what it has acknowledged is lost';
    const refused = await promote(b);
    expect(refused.exitCode).toBe(1);
    expect(refused.errors).toContain(loss);
    const { exitCode, output } = await promote(b, '--force');
    expect({ exitCode, output }).toEqual({ exitCode: 0, output: `${loss}\nprimary since takeover 2\n` });
    expect((await status(b)).report.because).toMatch('and a person decided');
    expect(await promote(b)).toMatchObject({ exitCode: 0 });
  },
  LIMIT_MS,
);

test('a service without failover has no role', async () => {
  await using pair = new Pair({ env: { SVC_BACKUP_CONTINUOUS_FAILOVER: 'false' } });
  const a = await pair.start('a', {});
  expect((await fetch(`${a.origin}/health/role`)).status).toBe(404);
  expect((await promote(a)).errors).toContain('has no backup.continuous.failover');
});
