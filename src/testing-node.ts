/** `@svc-grid/svc/testing` as programs on Node import it: the service runs in a process of its own, on Bun. */
import { startForTests } from './embedding-node.ts';
import { type Fixture, type TestOptions, type TestService, testServiceOf } from './test-service.ts';
import type { startTestService as startOnBun } from './testing.ts';

export type { Fixture, TestOptions, TestService };

/**
 * Starts a service for the tests of this program: in memory, on a free port, with a clock that they advance. Resolves
 * when it has loaded its fixtures.
 */
export const startTestService: typeof startOnBun = async (options: TestOptions = {}): Promise<TestService> => {
  const { fixtures: _, client: _client, ...start } = options;
  return testServiceOf(await startForTests(start), options);
};
