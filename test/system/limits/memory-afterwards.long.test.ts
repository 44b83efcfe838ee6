/** Memory that the service has used for large requests is returned. */
import { expect, test } from 'bun:test';
import { ATTACKS } from '../../abuse/attacks/attacks.ts';
import { createTables } from '../../abuse/attacks/run-attack.ts';
import { residentMib } from '../resident-memory.ts';
import { startService } from '../service-process.ts';

const LIMIT_MS = 300_000;
const RETURNED_MS = 60_000;
/** Memory that may stay: caches, compiled code, pages that the allocator keeps, and garbage of the last requests. */
const KEPT_MIB = 128;

test.if(process.platform === 'linux')(
  'the service returns its memory within a minute after attacks with large requests',
  async () => {
    await using service = await startService({ env: { SVC_WORKERS: '2' } });
    await createTables(service);
    await Bun.sleep(1_000);
    const idleMib = residentMib(service.pid);
    for (const attack of ATTACKS.filter(({ title }) => / MB/.test(title))) {
      await Promise.race([attack.run(service), Bun.sleep(attack.limitMs * attack.rounds + 10_000)]);
    }
    let keptMib = Number.POSITIVE_INFINITY;
    for (const endMs = performance.now() + RETURNED_MS; performance.now() < endMs; await Bun.sleep(500)) {
      keptMib = residentMib(service.pid) - idleMib;
      if (keptMib < KEPT_MIB) break;
    }
    if (process.env.SVC_TEST_SHOW !== undefined) process.stderr.write(`kept ${Math.round(keptMib)} MiB\n`);
    expect(keptMib).toBeLessThan(KEPT_MIB);
  },
  LIMIT_MS,
);
