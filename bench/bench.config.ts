/**
 * The configuration of the benchmarks: a durable cache and one without persistence. 256 clients that each wait for a
 * `getall` wait for longer than 100 ms on a slow machine; the service would reject some of them.
 */
import { defineConfig } from 'svc';

export default defineConfig({
  regions: [{ name: 'temporary', persistent: false }],
  limits: { queueMs: 1_000 },
  caches: [{ name: 'durable' }, { name: 'memory', region: 'temporary' }],
});
