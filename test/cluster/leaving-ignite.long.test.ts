/** Executes docs/leaving-ignite.md against three real nodes: the way from a cluster to svc, and back. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLUSTER_TRANSCRIPT, isExpectedOutput, TranscriptShell, transcriptOf } from '../documentation/transcript.ts';
import { missingForNodes, startCluster } from './ignite-node.ts';

const missing = missingForNodes();
/** The ports of the document: clients of the three nodes, and HTTP of one. */
const CLIENT_PORTS = [10800, 10801, 10802];
const REST_PORT = 8083;
const LIMIT_MS = 600_000;

test.skipIf(missing !== undefined)(
  missing ?? 'the way from a cluster to svc and back succeeds as documented',
  async () => {
    await using cluster = await startCluster(3, { empty: true });
    const ports = new Map(CLIENT_PORTS.map((port, index) => [port, cluster.nodes[index]?.port ?? 0]));
    ports.set(REST_PORT, Number(new URL(cluster.nodes[0]?.restUrl ?? '').port));
    const steps = transcriptOf(readFileSync(join(import.meta.dir, '../..', CLUSTER_TRANSCRIPT), 'utf8'));
    expect(steps.length).toBeGreaterThan(8);
    await using shell = new TranscriptShell(ports);
    for (const step of steps) {
      const { output, succeeded } = await shell.run(step);
      const at = `${CLUSTER_TRANSCRIPT}:${step.line}`;
      if (step.expected === undefined) expect([at, succeeded, succeeded ? '' : output]).toEqual([at, true, '']);
      else if (!isExpectedOutput(output, step.expected)) expect(`${at}\n${output}`).toBe(`${at}\n${step.expected}`);
    }
  },
  LIMIT_MS,
);
