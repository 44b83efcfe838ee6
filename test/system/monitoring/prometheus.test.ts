/**
 * Metrics, alerts and dashboard as operators use them: Prometheus' own promtool reads the pages of real services and
 * the files of `deploy`.
 */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { METRICS, type MetricDeclaration } from '../../../src/service/monitoring/metric-declarations.ts';
import { promtool } from '../../clients/programs.ts';
import { endOf } from '../../ended-program.ts';
import { freePort } from '../../free-port.ts';
import { type ServiceProcess, startService } from '../service-process.ts';

setDefaultTimeout(120_000);

const deploy = join(import.meta.dir, '../../../deploy');
const folder = mkdtempSync(join(tmpdir(), 'svc-prometheus-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ADMIN = 'svc.login=svc&svc.password=pw';
const SAMPLE = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/;

interface PageSample {
  readonly name: string;
  readonly labels: string;
  readonly value: number;
}

function samplesOf(page: string): PageSample[] {
  return page.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = SAMPLE.exec(line) ?? [];
    return name === undefined ? [] : [{ name, labels, value: Number(value) }];
  });
}

/** Returns the declared metric that a name of a page or an expression belongs to. */
function declaredOf(name: string): [string, MetricDeclaration] | undefined {
  const declared: ReadonlyArray<[string, MetricDeclaration]> = Object.entries(METRICS);
  return declared.find(
    ([each, { type }]) =>
      each === name || (type === 'histogram' && ['_bucket', '_sum', '_count'].some((suffix) => each + suffix === name)),
  );
}

async function metricsOf(service: ServiceProcess): Promise<string> {
  const response = await fetch(`${service.origin}/metrics?${ADMIN}`);
  expect(response.status).toBe(200);
  return response.text();
}

/** Fetches the page until its values satisfy the condition: threads publish theirs once per second. */
async function metricsWhen(service: ServiceProcess, isReached: (value: (name: string) => number) => boolean) {
  const endMs = performance.now() + 60_000;
  for (;;) {
    const page = await metricsOf(service);
    const samples = samplesOf(page);
    const value = (text: string) =>
      samples
        .filter(({ name, labels }) => text.split(' ').every((part) => name === part || labels.includes(part)))
        .reduce((sum, each) => sum + each.value, 0);
    if (isReached(value)) return page;
    if (performance.now() > endMs) throw new Error(`not reached:\n${page}`);
    await Bun.sleep(100);
  }
}

const program = await promtool();

async function check(args: readonly string[], input = '', cwd = folder): Promise<string> {
  if ('missing' in program) throw new Error(program.missing);
  const { exitCode, output, errors } = await endOf([program.path, ...args], { cwd, input });
  if (exitCode !== 0) return `promtool ${args.join(' ')} failed:\n${output}${errors}`;
  return errors;
}

describe('the page of a service with authentication, statements, failed logins and a backup', () => {
  test('it has what happened, and follows the conventions', async () => {
    await using service = await startService({
      env: {
        SVC_AUTHENTICATION: 'true',
        SVC_ADMIN_PASSWORD: 'pw',
        SVC_LOG_SLOW_MS: '1',
        SVC_WORKERS: '2',
        SVC_BACKUP_FOLDER: join(folder, 'backups'),
      },
    });
    for (let each = 0; each < 5; each++)
      expect((await service.send(`cmd=put&key=${each}&val=v&${ADMIN}`)).successStatus).toBe(0);
    await service.send(`cmd=get&key=1&${ADMIN}`);
    await service.send(`cmd=authenticate&svc.login=svc&svc.password=wrong`);
    const qry = encodeURIComponent('SELECT COUNT(*) FROM SYSTEM_RANGE(1, 20000)');
    expect((await service.send(`cmd=qryfldexe&pageSize=10&${ADMIN}&qry=${qry}`)).error).toBeNull();
    expect((await service.send(`cmd=backup&name=b1&${ADMIN}`)).error).toBeNull();
    const page = await metricsWhen(
      service,
      (value) =>
        value('svc_http_requests_total') > 5 &&
        value('svc_backups_total outcome="completed"') === 1 &&
        value('svc_slow_commands_total kind="statement"') >= 1,
    );
    const has = (pattern: RegExp) => expect(page).toMatch(pattern);
    has(/^svc_build_info\{version="[^"]+",runtime="bun [^"]+",platform="[^"]+",engine="embedded"\} 1$/m);
    has(/^svc_login_failures_total\{credential="password",reason="wrong"\} 1$/m);
    has(/^svc_sessions [1-9]/m);
    has(/^svc_logins_total [1-9]/m);
    has(/^svc_commit_duration_seconds_count [1-9]/m);
    has(/^svc_commit_changes_sum [1-9]/m);
    has(/^svc_database_size_bytes\{region="data"\} [1-9]/m);
    has(/^svc_wal_size_bytes\{region="data"\} [1-9]/m);
    has(/^svc_disk_free_bytes [1-9]/m);
    has(/^svc_statement_processes\{state="started"\} [1-9]/m);
    has(/^svc_backup_last_size_bytes [1-9]/m);
    has(/^svc_cache_writes_total\{cache="default"\} 5$/m);
    const undeclared = samplesOf(page).filter(({ name }) => declaredOf(name) === undefined);
    expect(undeclared).toEqual([]);
    if (!('missing' in program)) expect(await check(['check', 'metrics'], page)).toBe('');
  });

  test('labels of each sample are those that its metric declares', async () => {
    await using service = await startService({ env: { SVC_AUTHENTICATION: 'true', SVC_ADMIN_PASSWORD: 'pw' } });
    await service.send(`cmd=put&key=a&val=v&${ADMIN}`);
    for (const { name, labels } of samplesOf(await metricsOf(service))) {
      const shown = [...labels.matchAll(/(\w+)="/g)].map(([, label]) => label).filter((label) => label !== 'le');
      expect([name, ...shown]).toEqual([name, ...(declaredOf(name)?.[1].labels ?? ['undeclared'])]);
    }
  });
});

test('the page of a service that waits for its cluster follows the conventions', async () => {
  await using service = await startService({
    env: { SVC_ENGINE: 'cluster', SVC_ENDPOINTS: `127.0.0.1:${freePort()}` },
  });
  const page = await (await fetch(`${service.origin}/metrics`)).text();
  expect(page).toMatch(/^svc_build_info\{.*engine="cluster"\} 1$/m);
  expect(page).toMatch(/^svc_ready 0$/m);
  expect(page).toMatch(/^svc_cluster_attempts_total \d/m);
  if (!('missing' in program)) expect(await check(['check', 'metrics'], page)).toBe('');
});

/** Names of metrics in an expression of Prometheus. */
function metricsIn(expression: string): string[] {
  const bare = expression.replaceAll(/"[^"]*"/g, '').replaceAll(/\b(?:by|without)\s*\([^)]*\)/g, '');
  return [...bare.matchAll(/\b(?:svc|process)_[a-z_]+\b/g)].map(([name]) => name);
}

const rules = readFileSync(join(deploy, 'prometheus/svc.rules.yml'), 'utf8');
const ruleTests = readFileSync(join(deploy, 'prometheus/svc.rules.test.yml'), 'utf8');
const dashboard = readFileSync(join(deploy, 'grafana/svc.json'), 'utf8');

interface Dashboard {
  readonly panels: ReadonlyArray<{
    readonly id: number;
    readonly title: string;
    readonly targets?: ReadonlyArray<{ readonly expr: string }>;
  }>;
}

interface RuleFile {
  readonly groups: ReadonlyArray<{ readonly rules: ReadonlyArray<{ readonly alert: string; readonly expr: string }> }>;
}

interface RuleTests {
  readonly tests: ReadonlyArray<{
    readonly alert_rule_test: ReadonlyArray<{ readonly alertname: string; readonly exp_alerts: readonly unknown[] }>;
  }>;
}

const alerts = (Bun.YAML.parse(rules) as RuleFile).groups.flatMap((group) => group.rules);
const { panels } = JSON.parse(dashboard) as Dashboard;
const queries = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const));

describe('alerts and dashboard', () => {
  const expressions = [...alerts.map(({ alert, expr }) => [alert, expr] as const), ...queries];
  test.each(expressions)('%s uses metrics that exist: %s', (_, expression) => {
    const names = metricsIn(expression).concat(expression.includes('up{') ? ['svc_ready'] : []);
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => declaredOf(name) === undefined)).toEqual([]);
  });

  test('a histogram is never queried by its bare name, and no other metric as a histogram', () => {
    for (const [, expression] of expressions) {
      for (const name of metricsIn(expression)) {
        const [declared, { type }] = declaredOf(name) ?? ['', { type: '' }];
        expect([expression, type === 'histogram' && name === declared]).toEqual([expression, false]);
      }
    }
  });

  test('labels in selectors and groupings are those of the metrics', () => {
    // Prometheus adds the first three, and its operator those of Kubernetes.
    const scraped = ['job', 'instance', 'le', 'namespace', 'service'];
    for (const [, expression] of expressions) {
      const known = new Set([
        ...scraped,
        ...metricsIn(expression).flatMap((name) => declaredOf(name)?.[1].labels ?? []),
      ]);
      const selected = [...expression.matchAll(/(\w+)\s*(?:=~|!=|=)\s*"/g)].map(([, label]) => label ?? '');
      const grouped = [...expression.matchAll(/\bby\s*\(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/,\s*/));
      expect([expression, [...selected, ...grouped].filter((label) => !known.has(label))]).toEqual([expression, []]);
    }
  });

  test('each alert has a test in which it fires, and one in which it does not', () => {
    const cases = (Bun.YAML.parse(ruleTests) as RuleTests).tests.flatMap((each) => each.alert_rule_test);
    for (const { alert } of alerts) {
      const own = cases.filter(({ alertname }) => alertname === alert);
      expect([alert, own.some((each) => each.exp_alerts.length > 0)]).toEqual([alert, true]);
      expect([alert, own.some((each) => each.exp_alerts.length === 0)]).toEqual([alert, true]);
    }
  });

  test('panels have ids of their own', () => {
    const ids = panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(queries.length).toBeGreaterThan(40);
  });
});

if ('missing' in program) test.skip(`alerts, dashboard and examples (${program.missing})`, () => {});
else {
  describe('promtool accepts', () => {
    test('the alert rules, and their tests pass', async () => {
      const prometheus = join(deploy, 'prometheus');
      expect(await check(['check', 'rules', 'svc.rules.yml'], '', prometheus)).toBe('');
      expect(await check(['test', 'rules', 'svc.rules.test.yml'], '', prometheus)).toBe('');
    });

    test('each query of the dashboard', async () => {
      const file = {
        groups: [
          {
            name: 'dashboard',
            rules: queries.map(([title, expr], at) => ({
              record: `query_${at}`,
              expr: expr.replaceAll('$__rate_interval', '5m'),
              labels: { panel: title },
            })),
          },
        ],
      };
      writeFileSync(join(folder, 'dashboard.json'), JSON.stringify(file));
      expect(await check(['check', 'rules', 'dashboard.json'])).toBe('');
    });

    test('the scrape configuration in docs/metrics.md', async () => {
      const page = readFileSync(join(deploy, '../docs/metrics.md'), 'utf8');
      const shown = /```yaml\n(scrape_configs:.*?)```/s.exec(page)?.[1] ?? '';
      writeFileSync(join(folder, 'svc.rules.yml'), rules);
      writeFileSync(join(folder, 'key'), 'k');
      writeFileSync(join(folder, 'prometheus.yml'), shown.replace('/etc/prometheus/svc-api-key', join(folder, 'key')));
      expect(await check(['check', 'config', 'prometheus.yml'])).toBe('');
      expect(readdirSync(folder)).toContain('prometheus.yml');
    });
  });
}
