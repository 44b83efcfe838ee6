/** Runs the examples of docs/resources.md in the other languages: they print what curl prints. */
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { resourceExamples } from '../../../scripts/pages/guide-tabs.ts';
import { resourceStatements } from '../../../scripts/pages/resource-tabs.ts';
import { missingProgram, pythonEnvironment, runProgram } from '../../clients/programs.ts';
import { blocksOf, withoutDetails } from '../../documentation/shell.ts';
import { newFolder, type ServiceProcess, startService } from '../service-process.ts';

setDefaultTimeout(120_000);

const page = readFileSync(join(import.meta.dir, '../../../docs/resources.md'), 'utf8');
const examples = resourceExamples(page);

let folder = '';
let service: ServiceProcess;
beforeEach(async () => {
  folder = newFolder();
  // Examples create a table, so each language has a separate service.
  service = await startService();
});
afterEach(async () => {
  await service[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** Returns the statements of all examples; `scope` turns those of one example into a block with its own variables. */
function statements(fence: string, scope: (text: string) => string): string {
  return examples
    .map(({ commands }) => scope(resourceStatements(commands, fence)))
    .join('\n')
    .replaceAll('http://localhost:8080', service.origin);
}

/** Returns the function that the page shows in a language. */
function sendIn(fence: string): string {
  const block = blocksOf(withoutDetails(page)).find(({ language }) => language === fence);
  return block?.text ?? '';
}

/** Returns a file in the folder of the test. */
function written(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

function lines(text: string): string[] {
  return text
    .replaceAll(/"queryId":\d+/g, '"queryId":16')
    .split(/\r?\n/)
    .filter((line) => line !== '');
}

function testWith(program: string, title: string, run: () => Promise<string>): void {
  const missing = process.env.SVC_TEST_CI === 'true' ? undefined : missingProgram(program);
  if (missing !== undefined) test.skip(`${title} (${missing})`, () => {});
  else test(title, async () => expect(lines(await run())).toEqual(examples.flatMap(({ printed }) => lines(printed))));
}

test('every block of requests has the other languages', () => {
  expect(examples.length).toBe(5);
  expect(examples.length).toBe(page.match(/^```sh$/gm)?.length ?? 0);
});

testWith(process.execPath, 'TypeScript', () =>
  runProgram([
    process.execPath,
    written(
      'requests.ts',
      statements('ts', (text) => `{\n${text}\n}`),
    ),
  ]),
);

testWith('python3', 'Python', async () =>
  runProgram(
    ['python3', written('requests_of_page.py', `import requests\n${statements('python', (text) => text)}\n`)],
    await pythonEnvironment(),
  ),
);

testWith('go', 'Go', () => {
  const packages = ['fmt', 'io', 'log', 'net/http', 'strings'].map((name) => `import "${name}"\n`).join('');
  const main = `func main() {\n${statements('go', (text) => `{\n${text}\n}`)}\n}\n`;
  return runProgram(['go', 'run', written('main.go', `package main\n\n${packages}\n${sendIn('go')}\n${main}`)]);
});

testWith('java', 'Java', () => {
  const packages = ['java.net.URI', 'java.net.http.*', 'java.net.http.HttpRequest.*', 'java.net.http.HttpResponse.*'];
  const imports = packages.map((name) => `import ${name};\n`).join('');
  const calls = statements('java', (text) => `{\n${text}\n}`);
  const main = `public static void main(String[] args) throws Exception {\n${calls}\n}`;
  return runProgram(['java', written('Page.java', `${imports}public class Page {\n${sendIn('java')}\n${main}\n}\n`)]);
});
