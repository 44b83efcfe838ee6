/** The configuration of the benchmarks: a durable cache and one without persistence. */
import { defineConfig } from 'svc';

export default defineConfig({
  regions: [{ name: 'temporary', persistent: false }],
  caches: [{ name: 'durable' }, { name: 'memory', region: 'temporary' }],
});
