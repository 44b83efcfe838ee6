import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { predict, readMeasurements, throughput } from './scaling-model.ts';

const report = readFileSync(join(import.meta.dir, 'RESULTS.md'), 'utf8');

test('the model predicts the measured throughput of saturated threads within 20 %', () => {
  const predictions = predict(readMeasurements(report));
  expect(predictions.length).toBeGreaterThanOrEqual(12);
  for (const { measurement, error } of predictions) {
    const { operation, cache } = measurement;
    expect([operation, cache, Math.abs(error) <= 0.2]).toEqual([operation, cache, true]);
  }
});

test('requests that share a commit share its wait', () => {
  expect(throughput(10, 90, 1)).toBe(10_000);
  expect(throughput(10, 90, 9)).toBe(50_000);
  expect(throughput(10, 0, 5)).toBe(100_000);
});
