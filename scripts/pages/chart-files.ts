/** Generates the schema of the Helm chart's values and the chart's README from one description of the values. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PARTS } from '../../src/configuration/declarations.ts';
import { OPTION_ROWS, type OptionPath } from '../../src/configuration/options.ts';
import { blocks, code, codeBlock, table } from './markdown.ts';

interface Schema extends Readonly<Record<string, unknown>> {
  readonly properties?: Record<string, Schema>;
}

interface ObjectSchema extends Schema {
  readonly properties: Record<string, Schema>;
}

/** Options that the chart sets itself, because its ports, probes, volumes and Secrets depend on them. */
const SET_BY_CHART: ReadonlySet<string> = new Set<OptionPath>([
  'dataDir',
  'engine',
  'engine.cluster.endpoints',
  'engine.cluster.password',
  'engine.cluster.tls.enabled',
  'http.host',
  'http.port',
  'http.portRange',
  'strictPort',
  'http.metricsPort',
  'http.consolePort',
  'http.config',
  'http.plain',
  'http.tls.cert',
  'http.tls.key',
  'http.tls.port',
  'authentication',
  'adminPassword',
  'generatedPasswordFile',
  'allowUnauthenticated',
  'shutdown.delaySeconds',
  'log.stdout',
]);

/** Parts of a configuration file that are code, which a value cannot be. */
const CODE: ReadonlySet<string> = new Set<(typeof PARTS)[number]>(['tasks', 'scanPredicates', 'interceptor']);

const emptyObject = (description?: string): ObjectSchema => ({
  type: 'object',
  additionalProperties: false,
  ...(description !== undefined && { description }),
  properties: {},
});

/** Adds a property below an object, and the objects between. */
function addProperty(schema: Schema, [first = '', ...rest]: readonly string[], property: Schema): void {
  const properties = schema.properties ?? {};
  if (rest.length === 0) properties[first] = property;
  else {
    properties[first] ??= emptyObject();
    addProperty(properties[first], rest, property);
  }
}

/** Returns the schema of the value `config`: options by their paths, and the declared parts. */
function configSchema(description: string): ObjectSchema {
  const root = emptyObject(description);
  for (const { path, option } of OPTION_ROWS) {
    if (SET_BY_CHART.has(path)) continue;
    addProperty(root, path.split('.'), { description: option.help, ...option.schema });
  }
  for (const part of PARTS)
    if (!CODE.has(part))
      root.properties[part] = { description: 'See docs/configuration.md.', type: ['array', 'object'] };
  return root;
}

const text = (description: string): Schema => ({ description, type: 'string' });
const flag = (description: string): Schema => ({ description, type: 'boolean' });
const count = (description: string, minimum: number, maximum?: number): Schema => ({
  description,
  type: 'integer',
  minimum,
  ...(maximum !== undefined && { maximum }),
});
const choice = (description: string, ...words: string[]): Schema => ({ description, enum: words });
const texts = (description: string): Schema => ({ description, type: 'array', items: { type: 'string' } });
/** A part of a Kubernetes object, which Kubernetes checks. */
const raw = (description: string, type: 'array' | 'object' = 'object'): Schema => ({ description, type });

/** The values by their paths. */
const VALUES: Readonly<Record<string, Schema>> = {
  engine: choice(
    '`embedded`: one replica that keeps its data on a volume, or more with `failover`; `cluster`: replicas in front of ' +
      'an Apache Ignite cluster.',
    'embedded',
    'cluster',
  ),
  'image.repository': text('The image, with its registry.'),
  'image.tag': text('The tag; if empty, the version of the chart.'),
  'image.digest': {
    description: 'The digest, which outranks the tag.',
    type: 'string',
    pattern: '^(sha256:[0-9a-f]{64})?$',
  },
  'image.pullPolicy': choice('When the image is pulled.', 'Always', 'IfNotPresent', 'Never'),
  imagePullSecrets: raw('Secrets for the registry.', 'array'),
  nameOverride: text('Name of the chart in labels and names.'),
  fullnameOverride: text('Name of all objects.'),
  config: configSchema('Content of the configuration file: options by their paths, caches, users, roles.'),
  configFile: text('The configuration file as TypeScript, for tasks and interceptors, instead of `config`.'),
  'auth.enabled': flag('Require a login. Without it, anyone who reaches the service may do everything.'),
  'auth.existingSecret': text(
    'Secret with `username` and `password` of the default user (type kubernetes.io/basic-auth); if empty, one with a random ' +
      'password is created, and kept when the release is removed.',
  ),
  'tls.existingSecret': text('Secret with `tls.crt` and `tls.key` (type kubernetes.io/tls); with one, HTTPS only.'),
  'persistence.enabled': flag('Keep the data on a volume. Without it, the data is lost with the pod.'),
  'persistence.size': { description: 'Size of the volume.', type: ['string', 'integer'] },
  'persistence.storageClass': text('Storage class; if empty, the default one. Use block storage, not NFS.'),
  'persistence.accessModes': texts('Access modes of the volume.'),
  'persistence.annotations': raw('Annotations of the claim.'),
  'failover.enabled': flag(
    'Embedded engine: replicas with a volume each, of which one answers; the others follow it and take over ' +
      '(docs/high-availability.md). A standby is not ready.',
  ),
  'failover.replicas': count('Their number.', 1),
  'failover.url': text('The bucket that they share, as s3://BUCKET/PREFIX.'),
  'failover.existingSecret': text(
    'Secret with `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY` for the bucket; if empty, the role of the service account.',
  ),
  'failover.podDisruptionBudget.enabled': flag(
    'Keep the pod that answers from being evicted: it has to hand over first (`svc promote` in the other one).',
  ),
  'failover.podDisruptionBudget.maxUnavailable': { description: 'That bound.', type: ['integer', 'string'] },
  'cluster.endpoints': texts('Nodes of the cluster as HOST:PORT (thin client port).'),
  'cluster.replicas': count('Number of services in front of the cluster.', 0),
  'cluster.existingSecret': text('Secret with `username` and `password` for the cluster (kubernetes.io/basic-auth).'),
  'cluster.tls.enabled': flag('Connect to the nodes over TLS.'),
  'cluster.tls.existingSecret': text(
    "Secret with `ca.crt`, against which the nodes are verified; if empty, the system's certificates are used.",
  ),
  'cluster.podDisruptionBudget.enabled': flag('Bound how many replicas are evicted at a time.'),
  'cluster.podDisruptionBudget.maxUnavailable': { description: 'That bound.', type: ['integer', 'string'] },
  'service.type': choice('Type of the Service.', 'ClusterIP', 'NodePort', 'LoadBalancer'),
  'service.port': count('Port of the Service.', 1, 65_535),
  'service.metricsPort': count('Port of metrics and health in the headless Service.', 1, 65_535),
  'service.annotations': raw('Annotations of the Service.'),
  'ingress.enabled': flag('Create an Ingress.'),
  'ingress.className': text('Its class.'),
  'ingress.annotations': raw('Its annotations.'),
  'ingress.hosts': texts('Host names.'),
  'ingress.tls': raw('Its `tls`.', 'array'),
  'metrics.serviceMonitor.enabled': flag("Create a ServiceMonitor of Prometheus' operator."),
  'metrics.serviceMonitor.interval': text('Interval of its scrapes.'),
  'metrics.serviceMonitor.labels': raw('Labels by which the operator selects it.'),
  'metrics.serviceMonitor.existingSecret': text(
    'Secret with `username` and `password` of a user with the administration right `metrics`; if empty, the default user.',
  ),
  'metrics.prometheusRule.enabled': flag('Create a PrometheusRule with the alerts of docs/metrics.md.'),
  'metrics.prometheusRule.labels': raw('Labels by which the operator selects it.'),
  'metrics.dashboard.enabled': flag('Create a ConfigMap with the dashboard for Grafana.'),
  'metrics.dashboard.labels': raw("Labels by which Grafana's sidecar selects it."),
  resources: raw('Requests and limits of the container.'),
  shutdownDelaySeconds: count(
    'Seconds that a stopping service keeps serving, until balancers notice; with `failover` 0: SIGTERM hands over, and no ' +
      'other replica is ready before.',
    0,
  ),
  terminationGracePeriodSeconds: count('Seconds for the stop after that delay; it takes at most five.', 6),
  startupSeconds: count('Seconds that startup may take, including a migration of the data.', 2),
  temporarySizeLimit: text('Bound of the folder for temporary files, such as 4Gi; if empty, there is none.'),
  'serviceAccount.create': flag('Create a service account. No token is mounted.'),
  'serviceAccount.name': text("Its name; if empty, the release's."),
  'serviceAccount.annotations': raw('Its annotations.'),
  podSecurityContext: raw('Security context of the pod.'),
  securityContext: raw('Security context of the container.'),
  podAnnotations: raw('Annotations of the pods.'),
  podLabels: raw('Labels of the pods.'),
  priorityClassName: text('Priority class.'),
  nodeSelector: raw('Node selector.'),
  tolerations: raw('Tolerations.', 'array'),
  affinity: raw('Affinity.'),
  topologySpreadConstraints: raw('Topology spread constraints.', 'array'),
  extraEnv: raw('Additional variables for the container.', 'array'),
  extraVolumes: raw('Additional volumes, for example for backups.', 'array'),
  extraVolumeMounts: raw('Where they are mounted.', 'array'),
};

/** Returns `values.schema.json`. */
export function chartSchema(): string {
  const root = emptyObject();
  for (const [path, schema] of Object.entries(VALUES)) addProperty(root, path.split('.'), schema);
  // Helm passes the values that a parent chart shares.
  root.properties.global = { type: 'object' };
  const schema = { $schema: 'http://json-schema.org/draft-07/schema#', title: 'Values of the chart svc', ...root };
  return `${JSON.stringify(schema, undefined, 2)}\n`;
}

/** Returns the default of a value, from `values.yaml`. */
function defaultOf(values: unknown, path: string): string {
  let value = values;
  for (const part of path.split('.')) value = (value as Readonly<Record<string, unknown>> | undefined)?.[part];
  if (value === undefined) throw new Error(`values.yaml has no ${path}`);
  return value === '' ? '' : code(typeof value === 'string' ? value : JSON.stringify(value));
}

/** Returns the chart's README. */
export function chartReadme(): string {
  const chart = join(import.meta.dir, '../../deploy/helm/svc');
  const values: unknown = Bun.YAML.parse(readFileSync(join(chart, 'values.yaml'), 'utf8'));
  return `${blocks(
    '# Helm chart of svc',
    '`npm run generate` generates this page from `scripts/pages/chart-files.ts` and `values.yaml`. Do not edit it.',
    codeBlock('text', ['helm install svc deploy/helm/svc --set image.repository=REGISTRY/svc']),
    '[docs/packages.md](../../../docs/packages.md#kubernetes) explains the two forms, passwords, TLS and upgrades. ' +
      'Helm checks values against `values.schema.json`, which has all options that `config` may set. The chart sets ' +
      `${[...SET_BY_CHART].map(code).join(', ')} itself.`,
    '## Values',
    table(
      ['value', 'default', 'meaning'],
      Object.entries(VALUES).map(([path, { description }]) => [
        code(path),
        defaultOf(values, path),
        String(description),
      ]),
    ),
  )}\n`;
}
