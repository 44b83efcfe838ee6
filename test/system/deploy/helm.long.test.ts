/**
 * The Helm chart: `helm lint`, objects of both forms checked against the schemas of Kubernetes and by content, and the
 * service started as the rendered pod starts it. There is no Kubernetes to install it on.
 */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import product from '../../../package.json' with { type: 'json' };
import { packChart } from '../../../scripts/release-archives.ts';
import { blocksOf } from '../../documentation/shell.ts';
import { freePort } from '../../free-port.ts';
import { newFolder, startService } from '../service-process.ts';
import { until } from '../until.ts';
import { helm, kubernetesValidate } from './tools.ts';

setDefaultTimeout(120_000);

const root = join(import.meta.dir, '../../..');
const chart = join(root, 'deploy/helm/svc');
const folder = newFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const program = helm();
const validator = kubernetesValidate();

type Values = Readonly<Record<string, unknown>>;

interface Named {
  readonly name: string;
  readonly value?: string;
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

interface PodSpec {
  readonly automountServiceAccountToken: boolean;
  readonly enableServiceLinks: boolean;
  readonly terminationGracePeriodSeconds: number;
  readonly securityContext: Values;
  readonly containers: ReadonlyArray<{
    readonly image: string;
    readonly args: readonly string[];
    readonly env: readonly Named[];
    readonly ports: ReadonlyArray<{ readonly name: string; readonly containerPort: number }>;
    readonly securityContext: Values;
    readonly startupProbe: Probe;
    readonly livenessProbe: Probe;
    readonly readinessProbe: Probe;
    readonly volumeMounts: ReadonlyArray<{ readonly name: string; readonly mountPath: string }>;
  }>;
  readonly volumes: ReadonlyArray<{
    readonly name: string;
    readonly emptyDir?: object;
    readonly secret?: { readonly secretName: string };
  }>;
}

interface KubernetesObject {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels: Values; readonly annotations?: Values };
  readonly type?: string;
  readonly data?: Readonly<Record<string, string>>;
  readonly spec: {
    readonly replicas?: number;
    readonly template: { readonly metadata: { readonly annotations?: Values }; readonly spec: PodSpec };
    readonly volumeClaimTemplates?: readonly object[];
    readonly groups?: unknown;
    readonly endpoints?: readonly Values[];
    readonly [name: string]: unknown;
  };
}

let renderings = 0;

interface Rendering {
  readonly exitCode: number;
  readonly text: string;
  readonly errors: string;
}

function render(values: Values): Rendering {
  if (typeof program !== 'string') throw new Error(program.missing);
  const file = join(folder, `values-${renderings++}.json`);
  writeFileSync(file, JSON.stringify(values));
  const args = ['template', 'svc', chart, '--namespace', 'data', '--kube-version', '1.33', '--values', file];
  const { exitCode, stdout, stderr } = Bun.spawnSync([program, ...args]);
  return { exitCode, text: stdout.toString(), errors: stderr.toString() };
}

function objectsOf(values: Values): readonly KubernetesObject[] {
  const { exitCode, text, errors } = render(values);
  if (exitCode !== 0) throw new Error(errors);
  const documents = text.split(/^---$/m).filter((each) => /^\w/m.test(each.replaceAll(/^#.*$/gm, '')));
  return documents.map((each) => Bun.YAML.parse(each) as KubernetesObject);
}

function find(objects: readonly KubernetesObject[], kind: string, name = 'svc'): KubernetesObject {
  const found = objects.find((each) => each.kind === kind && each.metadata.name === name);
  if (found === undefined) throw new Error(`no ${kind} ${name}`);
  return found;
}

function containerOf({ spec }: KubernetesObject) {
  const [container] = spec.template.spec.containers;
  if (container === undefined) throw new Error('no container');
  return container;
}

function environmentOf(controller: KubernetesObject): Readonly<Record<string, string>> {
  return Object.fromEntries(containerOf(controller).env.map(({ name, value = '' }) => [name, value]));
}

const CLUSTER: Values = { engine: 'cluster', cluster: { endpoints: ['node1:10800', 'node2:10800'], replicas: 3 } };
const EVERYTHING: Values = {
  config: { name: 'grid', query: { timeout: 30 }, caches: [{ name: 'orders' }], telemetry: { headers: 'key=secret' } },
  tls: { existingSecret: 'certificate' },
  ingress: { enabled: true, className: 'nginx', hosts: ['grid.example'], tls: [{ hosts: ['grid.example'] }] },
  metrics: {
    serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
    prometheusRule: { enabled: true },
    dashboard: { enabled: true },
  },
  temporarySizeLimit: '4Gi',
  extraEnv: [{ name: 'AWS_ACCESS_KEY_ID', valueFrom: { secretKeyRef: { name: 'backup', key: 'id' } } }],
  extraVolumes: [{ name: 'backups', persistentVolumeClaim: { claimName: 'backups' } }],
  extraVolumeMounts: [{ name: 'backups', mountPath: '/backups' }],
  nodeSelector: { disk: 'ssd' },
  tolerations: [{ key: 'data', operator: 'Exists' }],
  topologySpreadConstraints: [
    { maxSkew: 1, topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'ScheduleAnyway' },
  ],
};
const FAILOVER: Values = { failover: { enabled: true, url: 's3://bucket/orders', existingSecret: 'bucket' } };
const CLUSTER_EVERYTHING: Values = {
  ...EVERYTHING,
  engine: 'cluster',
  cluster: {
    endpoints: ['node1:10800'],
    existingSecret: 'ignite',
    tls: { enabled: true, existingSecret: 'ignite-tls' },
  },
};

if (typeof program !== 'string') test.skip(`the Helm chart (${program.missing})`, () => {});
else {
  test('helm lint has no complaint', () => {
    const { exitCode, stdout } = Bun.spawnSync([program, 'lint', '--strict', '--kube-version', '1.33', chart]);
    expect(stdout.toString()).toContain('1 chart(s) linted, 0 chart(s) failed');
    expect(exitCode).toBe(0);
  });

  const forms: ReadonlyArray<readonly [string, Values]> = [
    ['embedded', {}],
    ['embedded with everything', EVERYTHING],
    ['embedded without volume and login', { persistence: { enabled: false }, auth: { enabled: false } }],
    ['failover', FAILOVER],
    ['failover with everything', { ...EVERYTHING, ...FAILOVER }],
    ['cluster', CLUSTER],
    ['cluster with everything', CLUSTER_EVERYTHING],
  ];
  if ('missing' in validator) test.skip(`Kubernetes' schemas (${validator.missing})`, () => {});
  else {
    for (const version of ['1.30.0', '1.37.0'])
      test.each(forms)(`Kubernetes ${version} accepts the form: %s`, (_, values) => {
        const file = join(folder, `objects-${renderings++}.yaml`);
        writeFileSync(file, render(values).text);
        const check = [validator.program, '--strict', '--kubernetes-version', version, file];
        const { exitCode, stdout, stderr } = Bun.spawnSync(check, { env: { ...process.env, ...validator.env } });
        const output = `${stdout}${stderr}`;
        expect(exitCode).toBe(0);
        const passed = [...output.matchAll(/passed for resource/g)].length;
        const foreign = [...output.matchAll(/Couldn't find schema for kind (?:ServiceMonitor|PrometheusRule) /g)]
          .length;
        expect(passed + foreign).toBe(objectsOf(values).length);
      });
  }

  test.each([
    ['StatefulSet', {}],
    ['Deployment', CLUSTER],
  ] as const)('pods of the %s have no privileges, probes that exist, and time to stop', (kind, values) => {
    const controller = find(objectsOf(values), kind);
    const pod = controller.spec.template.spec;
    const container = containerOf(controller);
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 65532, fsGroup: 65532 });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect([pod.automountServiceAccountToken, pod.enableServiceLinks]).toEqual([false, false]);
    expect(container.startupProbe.httpGet).toEqual({ path: '/health/live', port: 'metrics' });
    expect(container.livenessProbe.httpGet).toEqual({ path: '/health/live', port: 'metrics' });
    expect(container.readinessProbe.httpGet).toEqual({ path: '/health/ready', port: 'metrics' });
    const delay = Number(environmentOf(controller).SVC_SHUTDOWN_DELAY_SECONDS);
    expect(pod.terminationGracePeriodSeconds).toBe(delay + 30);
    expect(container.image).toBe(`svc:${product.version}`);
    // Every mount has its volume, in the pod or as a claim.
    const volumes = [...pod.volumes.map(({ name }) => name), ...(controller.spec.volumeClaimTemplates ? ['data'] : [])];
    expect(volumes.sort()).toEqual(container.volumeMounts.map(({ name }) => name).sort());
  });

  test('a service with data is one replica with a volume', () => {
    const objects = objectsOf({});
    const { spec } = find(objects, 'StatefulSet');
    expect([spec.replicas, spec.serviceName]).toEqual([1, 'svc-headless']);
    expect(spec.volumeClaimTemplates).toMatchObject([
      { metadata: { name: 'data' }, spec: { resources: { requests: { storage: '8Gi' } } } },
    ]);
    expect(objects.map(({ kind }) => kind)).not.toContain('PodDisruptionBudget');
    expect(find(objects, 'ServiceAccount')).toMatchObject({ automountServiceAccountToken: false });
  });

  test('in front of a cluster there are replicas, the addresses of its nodes and a disruption budget', () => {
    const objects = objectsOf(CLUSTER);
    const deployment = find(objects, 'Deployment');
    expect(deployment.spec.replicas).toBe(3);
    expect(environmentOf(deployment)).toMatchObject({
      SVC_ENGINE: 'cluster',
      SVC_ENDPOINTS: 'node1:10800,node2:10800',
    });
    expect(find(objects, 'PodDisruptionBudget').spec.maxUnavailable).toBe(1);
    expect(objects.map(({ kind }) => kind)).not.toContain('StatefulSet');
  });

  test('with failover there are replicas with a volume each, addresses of their own and a disruption budget', () => {
    const objects = objectsOf(FAILOVER);
    const { spec, metadata } = find(objects, 'StatefulSet');
    expect(spec).toMatchObject({ replicas: 2, podManagementPolicy: 'Parallel', updateStrategy: { type: 'OnDelete' } });
    expect(spec.volumeClaimTemplates).toHaveLength(1);
    expect(environmentOf(find(objects, 'StatefulSet'))).toMatchObject({
      SVC_BACKUP_CONTINUOUS_URL: 's3://bucket/orders',
      SVC_BACKUP_CONTINUOUS_FAILOVER: 'true',
      SVC_BACKUP_CONTINUOUS_ADVERTISED_URL: expect.stringMatching(
        new RegExp(`^http://\\$\\(POD_NAME\\)\\.${metadata.name}-headless\\.[a-z]+\\.svc:8080$`),
      ),
      AWS_ACCESS_KEY_ID: '',
    });
    // SIGTERM hands over at once: nothing precedes it, and no other replica would be ready meanwhile.
    const { terminationGracePeriodSeconds, containers } = find(objects, 'StatefulSet').spec.template.spec;
    expect(environmentOf(find(objects, 'StatefulSet')).SVC_SHUTDOWN_DELAY_SECONDS).toBe('0');
    expect(terminationGracePeriodSeconds).toBe(30);
    expect(containers).toEqual([expect.not.objectContaining({ lifecycle: expect.anything() })]);
    // A variable that others name comes before them.
    const names = containerOf(find(objects, 'StatefulSet')).env.map(({ name }) => name);
    expect(names.indexOf('POD_NAME')).toBeLessThan(names.indexOf('SVC_BACKUP_CONTINUOUS_ADVERTISED_URL'));
    expect(find(objects, 'PodDisruptionBudget').spec.maxUnavailable).toBe(1);
    expect(find(objects, 'StatefulSet').spec.template.spec).toMatchObject({
      affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100 }] } },
    });
    expect(render({ failover: { enabled: true } }).errors).toContain('failover.url: name the bucket');
  });

  test('the first password is in a Secret that stays, or in one that exists', () => {
    const secret = find(objectsOf({}), 'Secret', 'svc-password');
    expect(secret.type).toBe('kubernetes.io/basic-auth');
    expect(secret.metadata.annotations).toEqual({ 'helm.sh/resource-policy': 'keep' });
    expect(atob(secret.data?.username ?? '')).toBe('svc');
    expect(atob(secret.data?.password ?? '')).toMatch(/^\w{24}$/);
    const given = objectsOf({ auth: { existingSecret: 'mine' } });
    expect(given.filter(({ kind }) => kind === 'Secret')).toEqual([]);
    const { volumes } = find(given, 'StatefulSet').spec.template.spec;
    expect(volumes.map(({ secret }) => secret?.secretName)).toContain('mine');
  });

  test('the options of everything are in the objects', () => {
    const objects = objectsOf(CLUSTER_EVERYTHING);
    const deployment = find(objects, 'Deployment');
    expect(environmentOf(deployment)).toMatchObject({
      SVC_HTTP_TLS_CERT: '/run/secrets/tls/tls.crt',
      SVC_HTTP_TLS_KEY: '/run/secrets/tls/tls.key',
      SVC_ENGINE_CLUSTER_PASSWORD_FILE: '/run/secrets/cluster/password',
      SVC_ENGINE_CLUSTER_TLS_CA: '/run/secrets/cluster-tls/ca.crt',
    });
    expect(find(objects, 'Service').spec.ports).toEqual([{ name: 'https', port: 8080, targetPort: 'https' }]);
    expect(find(objects, 'Ingress').spec.rules).toMatchObject([{ host: 'grid.example' }]);
    const rules: unknown = Bun.YAML.parse(readFileSync(join(root, 'deploy/prometheus/svc.rules.yml'), 'utf8'));
    expect({ groups: find(objects, 'PrometheusRule').spec.groups }).toEqual(rules as { groups: unknown });
    const dashboard = readFileSync(join(root, 'deploy/grafana/svc.json'), 'utf8');
    expect(find(objects, 'ConfigMap', 'svc-dashboard').data?.['svc.json']?.trimEnd()).toBe(dashboard.trimEnd());
    expect(find(objects, 'ServiceMonitor').spec.endpoints).toMatchObject([
      { port: 'metrics', basicAuth: { password: { name: 'svc-password', key: 'password' } } },
    ]);
    // A change of the configuration starts the pods again.
    const checksum = (values: Values) =>
      find(objectsOf(values), 'StatefulSet').spec.template.metadata.annotations?.['checksum/config'];
    expect(checksum(EVERYTHING)).not.toBe(checksum({ ...EVERYTHING, config: { name: 'other' } }));
  });

  test.each([
    [{ config: { query: { timout: 1 } } }, "additional properties 'timout' not allowed"],
    [{ config: { dataDir: '/elsewhere' } }, "additional properties 'dataDir' not allowed"],
    [{ config: { compatibility: 'both' } }, 'value must be one of'],
    [{ replicas: 3 }, "additional properties 'replicas' not allowed"],
    [{ engine: 'cluster' }, 'cluster.endpoints: name the nodes'],
    [{ config: { name: 'a' }, configFile: 'export default {}' }, 'set either config or configFile'],
    [{ image: { digest: 'latest' } }, 'does not match pattern'],
    [{ ingress: { enabled: true } }, 'ingress.hosts: name at least one host'],
  ] as ReadonlyArray<[Values, string]>)('%j is rejected', (values, complaint) => {
    const { exitCode, errors } = render(values);
    expect(errors).toContain(complaint);
    expect(exitCode).not.toBe(0);
  });

  test('a digest outranks the tag', () => {
    const digest = `sha256:${'a'.repeat(64)}`;
    const objects = objectsOf({ image: { repository: 'registry.example/svc', tag: 'next', digest } });
    expect(containerOf(find(objects, 'StatefulSet')).image).toBe(`registry.example/svc@${digest}`);
  });

  describe('a service with the variables, Secrets and probes of the rendered pod', () => {
    const caches = [{ name: 'orders' }];
    const configFile =
      "import { defineConfig } from 'svc';\n" +
      'export default defineConfig({ caches: [{ name: \'orders\' }], tasks: { greet: (who) => "Hello, " + who } });\n';
    test.each([
      ['config', { config: { caches, query: { timeout: 30 } } }],
      ['configFile', { configFile }],
    ])('starts with %s, is ready, and ends', async (_, values) => {
      const objects = objectsOf(values);
      const controller = find(objects, 'StatefulSet');
      const container = containerOf(controller);
      const pod = join(folder, `pod-${renderings++}`);
      // The files that Kubernetes mounts.
      for (const { name, mountPath } of container.volumeMounts) {
        const volume = controller.spec.template.spec.volumes.find((each) => each.name === name);
        mkdirSync(join(pod, mountPath), { recursive: true });
        const secretName = volume?.secret?.secretName;
        const data = secretName === undefined ? {} : (find(objects, 'Secret', secretName).data ?? {});
        for (const [file, content] of Object.entries(data)) writeFileSync(join(pod, mountPath, file), atob(content));
      }
      const metricsPort = freePort();
      const { SVC_HTTP_PORT, SVC_DATA_DIR = '', ...environment } = environmentOf(controller);
      expect(SVC_HTTP_PORT).toBe(String(container.ports.find(({ name }) => name === 'http')?.containerPort));
      const env = Object.fromEntries(
        Object.entries(environment).map(([name, value]) => [name, value.startsWith('/') ? join(pod, value) : value]),
      );
      await using service = await startService({
        env: { ...env, SVC_HTTP_METRICS_PORT: String(metricsPort), SVC_SHUTDOWN_DELAY_SECONDS: '0' },
        dataDir: join(pod, SVC_DATA_DIR),
        args: container.args,
      });
      const probe = ({ httpGet }: Probe) => fetch(`http://127.0.0.1:${metricsPort}${httpGet.path}`);
      await until('ready', async () => (await probe(container.readinessProbe)).status === 200);
      expect((await probe(container.livenessProbe)).status).toBe(200);
      const password = readFileSync(join(pod, 'run/secrets/svc/password'), 'utf8');
      const put = `cmd=put&cacheName=orders&key=a&val=1&svc.login=svc&svc.password=${password}`;
      expect((await service.send(put)).error).toBeNull();
      expect((await service.send('cmd=get&key=a')).successStatus).not.toBe(0);
      expect(readdirSync(join(pod, dirname(SVC_DATA_DIR)))).toEqual(['data']);
      expect(await service.stop()).toBe(0);
    });
  });

  test('the examples of docs/packages.md are accepted', () => {
    const page = readFileSync(join(root, 'docs/packages.md'), 'utf8');
    const section = page.slice(page.indexOf('## Kubernetes'), page.indexOf('\n## ', page.indexOf('## Kubernetes') + 1));
    const examples = blocksOf(section).filter(({ language }) => language === 'yaml');
    expect(examples.length).toBeGreaterThan(1);
    for (const { text } of examples) expect(objectsOf(Bun.YAML.parse(text) as Values).length).toBeGreaterThan(3);
  });

  test('the chart of a release has the files that are links in the repository, and is rendered', () => {
    const archive = packChart(folder);
    const { stdout } = Bun.spawnSync(['tar', '-xzOf', archive, 'svc/files/svc.rules.yml']);
    expect(stdout.toString()).toBe(readFileSync(join(root, 'deploy/prometheus/svc.rules.yml'), 'utf8'));
    const rendered = Bun.spawnSync([program, 'template', 'svc', archive, '--kube-version', '1.33']);
    expect(rendered.stdout.toString()).toContain('kind: StatefulSet');
    expect(rendered.exitCode).toBe(0);
  });
}
