/** Executes the guides: every shell block runs, and prints what the guide shows. */
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isExpectedOutput, TRANSCRIPTS, TranscriptShell, transcriptOf } from '../../documentation/transcript.ts';
import { ACCESS, startObjectStore } from '../../seaweedfs.ts';

const root = join(import.meta.dir, '../../..');

test('there are guides', () => expect(TRANSCRIPTS.length).toBeGreaterThan(4));

/** Executes a guide; `adapt` returns what a reader would type in place of a block. */
async function execute(path: string, adapt: (script: string) => string = (script) => script): Promise<void> {
  const steps = transcriptOf(readFileSync(join(root, path), 'utf8'));
  expect(steps.filter(({ expected }) => expected !== undefined).length).toBeGreaterThan(1);
  await using shell = new TranscriptShell();
  for (const step of steps) {
    const { output, succeeded } = await shell.run({ ...step, script: adapt(step.script) });
    const at = `${path}:${step.line}`;
    if (step.expected === undefined) expect([at, succeeded, succeeded ? '' : output]).toEqual([at, true, '']);
    else if (!isExpectedOutput(output, step.expected)) expect(`${at}\n${output}`).toBe(`${at}\n${step.expected}`);
  }
}

for (const path of TRANSCRIPTS) test(path, () => execute(path), 300_000);

/** Guides whose destination is a bucket for readers with two machines, and the variable that names it. */
const WITH_BUCKET = [
  ['docs/guides/lost-machine.md', 'BACKUP'],
  ['docs/guides/standby.md', 'SVC_BACKUP_CONTINUOUS_URL'],
] as const;

test.each(WITH_BUCKET)(
  '%s with a bucket',
  async (path, variable) => {
    await using store = await startObjectStore();
    if (store === undefined) {
      process.stdout.write('skipped: no object store, because python3 cannot install it\n');
      return;
    }
    const { bucket, endpoint } = store;
    const variables = {
      [variable]: `s3://${bucket}/svc?endpoint=${endpoint}&forcePathStyle=true`,
      ...ACCESS,
    };
    const exports = Object.entries(variables).map(([name, value]) => `export ${name}='${value}'`);
    let replaced = 0;
    await execute(path, (script) =>
      script.replace(new RegExp(`^export ${variable}=.*$`, 'm'), () => {
        replaced += 1;
        return exports.join('\n');
      }),
    );
    expect(replaced).toBe(1);
  },
  300_000,
);

describe('isExpectedOutput', () => {
  const cases: ReadonlyArray<readonly [output: string, expected: string, isExpected: boolean]> = [
    ['a\n', 'a', true],
    ['\na\n\nb', 'a\nb\n', true],
    ['a', 'b', false],
    ['a\nb', 'a', false],
    ['took 12 ms', 'took ... ms', true],
    ['took 12 s', 'took ... ms', false],
    ['a\nb\nc\nd', 'a\n...\nd', true],
    ['a\nd', 'a\n...\nd', true],
    ['a\nb\nc', 'a\n...\nd', false],
    ['(a)', '(a)', true],
    ['xay', 'x.y', false],
  ];
  test.each(cases)('%j, %j', (output, expected, isExpected) => {
    expect(isExpectedOutput(output, expected)).toBe(isExpected);
  });
});

test('transcriptOf pairs a shell block with the output right behind it', () => {
  const markdown = '```sh\na\n```\n\n```text\nA\n```\n\n```sh\nb\n```\n\nText.\n\n```text\nB\n```\n';
  expect(transcriptOf(markdown)).toEqual([
    { line: 1, script: 'a\n', expected: 'A\n' },
    { line: 9, script: 'b\n', expected: undefined },
  ]);
});

test('transcriptOf reads files and what other terminals show', () => {
  const markdown =
    '```ts title="a.ts"\n1\n```\n```sh title="In another terminal"\na\n```\n```text title="In another terminal"\nA\n```\n';
  expect(transcriptOf(markdown)).toEqual([
    { line: 1, script: "cat > 'a.ts' <<'END OF FILE'\n1\nEND OF FILE", expected: undefined },
    { line: 4, script: 'a\n', expected: undefined, isElsewhere: true },
    { line: 7, script: '', expected: 'A\n', isElsewhere: true },
  ]);
});
