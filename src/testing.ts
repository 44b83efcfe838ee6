/** `@svc-grid/svc/testing` as programs on Bun import it. Programs on Node import testing-node.ts. */
import { startForTests } from './embedding.ts';
import { type Fixture, type TestOptions, type TestService, testServiceOf } from './test-service.ts';

export type { Fixture, TestOptions, TestService };

/**
 * Starts a service for this program's tests: in memory, on a free port, with a clock that they advance. Resolves when
 * it has loaded its fixtures.
 */
export async function startTestService(options: TestOptions = {}): Promise<TestService> {
  const { fixtures: _, client: _client, ...start } = options;
  return testServiceOf(await startForTests(start), options);
}
