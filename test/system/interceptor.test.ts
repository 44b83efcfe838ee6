/** The message interceptor with the embedded engine, in one thread and in several. */
import { describe } from 'bun:test';
import { runInterceptorSuite } from './interceptor.suite.ts';

for (const workers of ['1', '2']) {
  describe(`workers=${workers}`, () => {
    runInterceptorSuite(() => ({ SVC_WORKERS: workers }), { hasPredicates: true, limitMs: 60_000 });
  });
}
