/** `npm run test:asf [-- CLASS... --tests PATTERN --logs FOLDER]`: test/asf/README.md. */
import { parseArgs } from 'node:util';
import { KNOWN_FAILURES } from './known-failures.ts';
import { CLASSES, type ClassName, missingForSuite, runClass, type TestResult } from './rest-suite.ts';

const LIMIT_MS = 900_000;
const SHOWN_CHARACTERS = 400;

function isClassName(name: string): name is ClassName {
  return name in CLASSES;
}

/** Prints what failed and returns the number of unknown failures. */
function report(name: ClassName, results: readonly TestResult[]): number {
  const failed = results.filter(({ outcome }) => outcome === 'failed');
  const unexpected = failed.filter(({ method }) => KNOWN_FAILURES[method] === undefined);
  for (const each of failed) {
    const reason = KNOWN_FAILURES[each.method];
    const text = reason === undefined ? each.failure.slice(0, SHOWN_CHARACTERS) : `known: ${reason}`;
    process.stdout.write(`${name} ${each.name}: ${text}\n`);
  }
  const passed = results.filter(({ outcome }) => outcome === 'passed').length;
  process.stdout.write(`-- ${name}: ${passed} of ${results.length} passed, ${unexpected.length} failed unexpectedly\n`);
  return unexpected.length;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { tests: { type: 'string' }, logs: { type: 'string' } },
});
const classes = positionals.length > 0 ? positionals : Object.keys(CLASSES);
const missing = missingForSuite();
if (missing !== undefined) {
  process.stdout.write(`${missing}\n`);
} else {
  for (const name of classes) {
    if (!isClassName(name)) throw new Error(`${name} is no class of tests: ${Object.keys(CLASSES).join(', ')}`);
    const results = await runClass(name, { ...values, limitMs: LIMIT_MS });
    if (report(name, results) > 0) process.exitCode = 1;
  }
}
