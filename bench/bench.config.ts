/** What the benchmarks measure: a cache on disk and one that is not persistent. */
import { defineConfig } from 'svc';

export default defineConfig({
  regions: [{ name: 'temporary', persistent: false }],
  caches: [{ name: 'durable' }, { name: 'memory', region: 'temporary' }],
});
