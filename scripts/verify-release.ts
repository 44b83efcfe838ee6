/**
 * Verifies the files of a release in a folder: `npm run verify:release -- FOLDER [--key FILE]`. The default key is the
 * one in the release; name your own copy to notice a key that was replaced together with the files.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { usage } from './executable.ts';
import { provenanceProblems } from './provenance.ts';

const { values, positionals } = parseArgs({
  args: process.argv.slice(2),
  options: { key: { type: 'string' } },
  allowPositionals: true,
});
const folder = resolve(positionals[0] ?? usage('name the folder of the release'));
const statement =
  readdirSync(folder).find((name) => name.endsWith('.intoto.jsonl')) ?? usage(`${folder} has no .intoto.jsonl`);
const key = values.key ?? join(folder, statement.replace(/\.intoto\.jsonl$/, '.pub'));
const problems = provenanceProblems(
  readFileSync(join(folder, statement), 'utf8'),
  readFileSync(resolve(key), 'utf8'),
  (name) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name)) : undefined),
);
for (const problem of problems) process.stderr.write(`${problem}\n`);
if (problems.length === 0)
  process.stdout.write(`${statement}: signed with ${key}, and the files are those that were built\n`);
process.exitCode = problems.length === 0 ? 0 : 1;
