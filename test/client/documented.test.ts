/**
 * Executes the examples in the page about the client and compares what they print with their comments. Tabs of other
 * pages are executed by test/system/documents.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { blocksOf } from '../documentation/shell.ts';
import { endOf } from '../ended-program.ts';
import { newFolder, type ServiceProcess, startService } from '../system/service-process.ts';

const root = join(import.meta.dir, '../..');
const examples = blocksOf(readFileSync(join(root, 'docs/client.md'), 'utf8')).filter(
  ({ language }) => language === 'ts',
);
/** What only Bun executes: test/system/embedding/in-process.test.ts. */
const START = "from '@svc-grid/svc';";
let service: ServiceProcess;
let folder: string;

beforeAll(async () => {
  service = await startService();
  folder = newFolder();
  // As a package manager installs it.
  const built = Bun.spawnSync([process.execPath, join(root, 'scripts/build-client.ts'), join(folder, 'client')]);
  expect([built.exitCode, String(built.stderr)]).toEqual([0, '']);
}, 60_000);
afterAll(() => service[Symbol.asyncDispose]());

test('the page has examples', () => {
  expect(examples.length).toBeGreaterThan(5);
});

for (const { line, text } of examples.filter((block) => !block.text.includes(START))) {
  test(`client.md, line ${line}: prints what its comments say, in Node`, async () => {
    const source = text
      .replaceAll('http://localhost:8080/svc', service.url)
      .replaceAll('@svc-grid/svc/client', './client/client.js');
    const file = join(folder, `client${line}.mjs`);
    writeFileSync(file, source);
    const { output, errors } = await endOf(['node', file]);
    expect(errors).toBe('');
    const comments = [...text.matchAll(/console\.log.* \/\/ (.*)$/gm)].flatMap(([, comment = '']) =>
      comment.split(', then '),
    );
    expect(output.trimEnd().split('\n')).toEqual(comments);
  }, 30_000);
}
