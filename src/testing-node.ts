/** `@svc-grid/svc/testing` as programs on Node import it: the service runs in a separate process, on Bun. */
import { startForTests } from './embedding-node.ts';
import { type Fixture, type TestOptions, type TestService, testServiceOf } from './test-service.ts';
import type { startTestService as startOnBun } from './testing.ts';

export type { Fixture, TestOptions, TestService };

/**
 * Starts a service for this program's tests: in memory, on a free port, with a clock that they advance. Resolves when
 * it has loaded its fixtures.
 */
export const startTestService: typeof startOnBun = async (options: TestOptions = {}): Promise<TestService> => {
  const { fixtures: _, client: _client, ...start } = options;
  return testServiceOf(await startForTests(start), options);
};
