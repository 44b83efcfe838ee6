/** Executes the examples of the client in the documents and compares what they print with their comments. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { blocksOf } from '../documentation/shell.ts';
import { newFolder, type ServiceProcess, startService } from '../system/service-process.ts';

const root = join(import.meta.dir, '../..');
const DOCUMENTS = ['client', 'resources', 'README', 'quick-starts/redis', 'quick-starts/sql'];
const examples = DOCUMENTS.flatMap((name) =>
  blocksOf(readFileSync(join(root, `docs/${name}.md`), 'utf8')).flatMap((block) =>
    block.language === 'ts' ? [{ ...block, name }] : [],
  ),
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

test('all documents have examples', () => {
  expect(examples.length).toBeGreaterThan(5);
  expect(new Set(examples.map(({ name }) => name)).size).toBe(DOCUMENTS.length);
});

for (const { name, line, text } of examples.filter((block) => !block.text.includes(START))) {
  test(`${name}.md, line ${line}: prints what its comments say, in Node`, async () => {
    const source = text
      .replaceAll('http://localhost:8080/svc', service.url)
      .replaceAll('@svc-grid/svc/client', './client/client.js');
    const file = join(folder, `${name.replace('/', '-')}${line}.mjs`);
    writeFileSync(file, source);
    const child = Bun.spawn(['node', file], { stdout: 'pipe', stderr: 'pipe' });
    const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    expect(errors).toBe('');
    const comments = [...text.matchAll(/console\.log.* \/\/ (.*)$/gm)].flatMap(([, comment = '']) =>
      comment.split(', then '),
    );
    expect(output.trimEnd().split('\n')).toEqual(comments);
  }, 30_000);
}
