import { expect } from 'bun:test';
import { commandCases } from '../../../test/test-service.ts';

const METRICS = {
  intervalMs: 5_000,
  times: [10],
  series: expect.objectContaining({ inFlight: [1] }),
  limits: { slowMs: 1_000, memoryBytes: 8_000, diskBytes: 9_000, diskReserveBytes: 100 },
};

commandCases('metricshistory', [
  ['returns the samples of the service', ['metricshistory', { ...METRICS, commands: { get: [2.5] } }]],
  [
    'returns only those after a time',
    [
      'metricshistory after=10',
      { ...METRICS, times: [], series: expect.objectContaining({ inFlight: [] }), commands: { get: [] } },
    ],
  ],
]);
