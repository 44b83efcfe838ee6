/** The message interceptor with the embedded engine, in one thread and in several. */
import { describe } from 'bun:test';
import { runInterceptorSuite } from './interceptor.suite.ts';
import { WORKERS } from './modes.ts';

for (const workers of WORKERS.map(String)) {
  describe(`workers=${workers}`, () => {
    runInterceptorSuite(() => ({ SVC_WORKERS: workers }), { hasPredicates: true, limitMs: 60_000 });
  });
}
