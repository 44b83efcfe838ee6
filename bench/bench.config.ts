/**
 * The configuration of the benchmarks: a durable cache and one without persistence. 256 clients that each wait for a
 * `getall` wait for longer than a second on a busy machine; the service would reject some of them.
 */
import { defineConfig } from 'svc';

export default defineConfig({
  regions: [{ name: 'temporary', persistent: false }],
  limits: { queueMs: 10_000 },
  caches: [{ name: 'durable' }, { name: 'memory', region: 'temporary' }],
});
