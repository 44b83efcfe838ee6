/**
 * The numbers of HTTP threads that tests run with: two in the first ring; one in the second ring, which runs these
 * tests again with SVC_TEST_MODES=one.
 */
export const WORKERS: readonly number[] = process.env.SVC_TEST_MODES === 'one' ? [1] : [2];
