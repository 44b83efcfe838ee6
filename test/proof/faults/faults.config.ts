/** Code that hangs, crashes and wastes memory, and the caches of the faults. */
import { defineConfig } from 'svc';

function spin(): never {
  for (;;);
}

export default defineConfig({
  regions: [{ name: 'memory', persistent: false }],
  caches: [{ name: 'temporary', region: 'memory' }],
  scanPredicates: {
    Hang: () => spin(),
    // In a statement process it ends only the thread.
    Crash: () => process.exit(1),
  },
  tasks: { Hang: './hanging-task.ts', Crash: './crashing-task.ts' },
});
