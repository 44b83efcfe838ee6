/** Runs the examples of all commands with curl and with the TypeScript client, as the reference shows them. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { CURL } from '../../../src/samples/curl.ts';
import { programOf } from '../../../src/samples/samples.ts';
import { TYPESCRIPT } from '../../../src/samples/typescript.ts';
import { runProgram } from '../../clients/programs.ts';
import {
  type Batch,
  envelopeResponse,
  jsonResponse,
  markOf,
  runExamples,
  writeProgram,
} from '../../documentation/example-runs.ts';

setDefaultTimeout(120_000);
const root = join(import.meta.dir, '../../..');

test('curl', () =>
  runExamples(
    CURL,
    (batch) => {
      const lines = batch.examples.flatMap((example) => [
        `echo '${markOf(example)}'`,
        programOf(CURL, batch.endpoint, example.requests, batch.needsLogin).replaceAll('curl ', "curl -sS -w '\\n' "),
      ]);
      return runProgram(['bash', '-e', writeProgram(batch, 'examples.sh', lines.join('\n'))]);
    },
    envelopeResponse,
  ));

/** Runs each program as a module, and prints the values that it logs as JSON. */
function typeScript(batch: Batch): Promise<string> {
  const modules = batch.examples.map((example) => {
    const text = programOf(TYPESCRIPT, batch.endpoint, example.requests, batch.needsLogin);
    const name = `${example.name}.ts`;
    writeProgram(batch, name, text.replace('@svc-grid/svc/client', join(root, 'src/client/client.ts')));
    return [markOf(example), `./${name}`];
  });
  const runner = [
    `import { writeExact } from ${JSON.stringify(join(root, 'src/client/exact-json.ts'))};`,
    'const print = console.log;',
    'console.log = (value) => print(writeExact(value));',
    `for (const [mark, name] of ${JSON.stringify(modules)}) { print(mark); await import(name); }`,
  ];
  return runProgram([process.execPath, writeProgram(batch, 'run-all.ts', runner.join('\n'))]);
}

test('TypeScript', () => runExamples(TYPESCRIPT, typeScript, jsonResponse));

test('a failure is reported', () => {
  expect(() => envelopeResponse('x\n{"successStatus":1,"error":"wrong","response":null}\n')).toThrow('wrong');
});
