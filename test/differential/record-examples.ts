/**
 * Records the examples of the known differences again, with an Ignite node whose URL is the argument. A new example is
 * a line of recorded-examples.jsonl with `reason`, `setup` and `sql`. Fails when an example does not show its
 * difference.
 *
 *     bun test/differential/record-examples.ts http://127.0.0.1:38180/ignite
 */
import { writeFileSync } from 'node:fs';
import { explain } from './explain.ts';
import { runHistory } from './history.ts';
import { differenceOf, EXAMPLES_FILE, type Example, readExamples, withTables } from './recorded-examples.ts';
import { type Outcome, openEmbeddedTarget, openIgniteTarget, type Target } from './targets.ts';

const [url = ''] = process.argv.slice(2);
const node = await openIgniteTarget(url);
if (node === undefined) throw new Error(`no Ignite node at ${url}`);
const embedded = await openEmbeddedTarget();
// Ignite's error for WITH depends on the statements before it.
await runHistory(1, 400, embedded, node);
const recorded: Example[] = [];
for (const example of readExamples()) recorded.push(await record(example, embedded, node));
writeFileSync(EXAMPLES_FILE, recorded.map((example) => `${JSON.stringify(example)}\n`).join(''));
await embedded.close();
await node.close();

function record(example: Example, svcTarget: Target, igniteTarget: Target): Promise<Example> {
  return withTables([svcTarget, igniteTarget], example, async ([svc, ignite]) => {
    if (svc === undefined || ignite === undefined) throw new Error('two targets expected');
    const outcomes: Record<string, Outcome> = {};
    const recorder: Target = {
      ...ignite,
      async run(statement) {
        const outcome = await ignite.run(statement);
        outcomes[statement] = outcome;
        return outcome;
      },
    };
    const ours = await svc.run(example.sql);
    const difference = differenceOf(example, ours, await recorder.run(example.sql));
    const known = difference === undefined ? undefined : await explain(difference, { svc, ignite: recorder });
    const reasons = known?.map(({ reason }) => reason).join(' + ');
    if (reasons !== example.reason) {
      process.exitCode = 1;
      process.stdout.write(
        `${example.reason}\n  ${example.sql}\n  ${difference?.what}: ${reasons}\n` +
          `  svc: ${JSON.stringify(ours)}\n  ignite: ${JSON.stringify(outcomes[example.sql])}\n`,
      );
    }
    return { ...example, svc: ours, ignite: outcomes };
  });
}
