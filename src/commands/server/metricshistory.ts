import { command, ON_SERVICE } from '../command.ts';
import { METRIC_SERIES } from '../metric-series.ts';
import type { MetricsSamples } from '../metrics-samples.ts';
import { optionalLong } from '../params.ts';
import { type JsonSchema, jsonReply, members } from '../reply.ts';

const RATES: JsonSchema = { type: 'array', items: { type: ['number', 'null'] } };

const LIMIT: JsonSchema = { type: ['integer', 'null'] };

const SCHEMA: JsonSchema = {
  type: 'object',
  ...members({
    intervalMs: { type: 'integer' },
    times: { type: 'array', items: { type: 'integer' }, description: 'Milliseconds since 1970.' },
    series: {
      type: 'object',
      ...members(
        Object.fromEntries(METRIC_SERIES.map(({ name, summary }) => [name, { ...RATES, description: summary }])),
      ),
    },
    commands: {
      type: 'object',
      description: 'Requests per second, by command.',
      additionalProperties: RATES,
    },
    limits: {
      type: 'object',
      description: 'Reference values for the series; null if unknown.',
      ...members({
        slowMs: { ...LIMIT, description: 'Time after which requests and statements are logged as slow.' },
        memoryBytes: { ...LIMIT, description: 'Memory of the machine.' },
        diskBytes: { ...LIMIT, description: "Size of the data folder's disk." },
        diskReserveBytes: { ...LIMIT, description: 'Free space below which changes that add data are rejected.' },
      }),
    },
  }),
};

export const metricshistory = command({
  ...ON_SERVICE,
  name: 'metricshistory',
  request: 'METRICS_HISTORY',
  group: 'server',
  summary: "Returns samples of the last hour's metrics.",
  since: '1.1.0',
  access: 'read',
  needs: 'adminMetrics',
  params: {
    after: optionalLong('after', 'Only samples after this time, in milliseconds since 1970.'),
  },
  reply: jsonReply<MetricsSamples>(
    'metricsHistory',
    SCHEMA,
    'The samples, the oldest first; null if there is no value.',
  ),
  errors: [],
  example: { query: 'cmd=metricshistory&after=0' },
  run: ({ after }, { services: { metricsHistory } }) => metricsHistory.since(Number(after ?? 0n)),
});
