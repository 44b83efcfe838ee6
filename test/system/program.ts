/**
 * The program that tests start: the sources, or the bundle that `npm start` runs, which scripts/run-tests.mjs builds
 * once because it starts in half the time.
 */
import { join } from 'node:path';

const root = join(import.meta.dir, '../..');
export const BUN = join(root, 'node_modules/.bin/bun');
export const MAIN = process.env.SVC_TEST_PROGRAM ?? join(root, 'src/main.ts');
