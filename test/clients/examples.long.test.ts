/** Runs the programs of examples/clients, which all print the same. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { type ServiceProcess, startService } from '../system/service-process.ts';
import { missingProgram, pythonEnvironment, runProgram } from './programs.ts';

setDefaultTimeout(240_000);
const examples = join(import.meta.dir, '../../examples/clients');
const OUTPUT = 'get: red\nobject: Ann\nrows: 1 2 3 4 5\nlines: 1000\n';
let service: ServiceProcess;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

/** The programs with their commands; each needs the first word of its command. */
const PROGRAMS: ReadonlyArray<readonly [file: string, ...command: string[]]> = [
  ['curl.sh', 'curl', 'sh'],
  ['client.py', 'python3', 'python3'],
  ['client.ts', process.execPath, process.execPath],
  ['client.go', 'go', 'go', 'run'],
  ['Client.java', 'java', 'java'],
];

for (const [file, program = '', ...command] of PROGRAMS) {
  const missing = process.env.SVC_TEST_CI === 'true' ? undefined : missingProgram(program);
  test.skipIf(missing !== undefined)(`${file}${missing === undefined ? '' : ` (${missing})`}`, async () => {
    const env = program === 'python3' ? await pythonEnvironment() : { GOFLAGS: '-mod=mod' };
    expect(await runProgram([...command, join(examples, file), service.url], env)).toBe(OUTPUT);
  });
}
