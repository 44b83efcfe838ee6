/** A region whose changes are synced at an interval, besides the default region. */
import { defineConfig } from 'svc';

export default defineConfig({
  regions: [{ name: 'interval', syncIntervalMs: 100 }],
  caches: [{ name: 'lazy', region: 'interval' }],
});
