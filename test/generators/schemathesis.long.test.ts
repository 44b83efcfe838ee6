/**
 * Schemathesis tests a running service with requests that follow from the OpenAPI document that the service serves.
 * The long form is `npm run abuse -- schemathesis`.
 */
import { expect, test } from 'bun:test';
import { runSchemathesis } from '../abuse/schemathesis.ts';

/** Always the same requests, so that CI does not fail by chance. The long form chooses others. */
const SEED = 1;
const python = Bun.which('python3') !== null || process.env.SVC_TEST_CI === 'true';

test.skipIf(!python)(
  `Schemathesis finds nothing${python ? '' : ' (skipped: python3 is not on the PATH)'}`,
  async () => {
    expect(await runSchemathesis(SEED, { requestsPerOperation: 30 })).toBe(0);
  },
  280_000,
);
