/** The caches of the long run alongside the default cache. */
import { defineConfig } from 'svc';

export default defineConfig({
  regions: [{ name: 'memory', persistent: false }],
  caches: [{ name: 'expiring' }, { name: 'temporary', region: 'memory' }],
});
