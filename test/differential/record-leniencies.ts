/**
 * Records the answers of an Ignite node, whose URL is the argument, to the statements of leniencies.ts, and svc's where
 * they differ. Prints the differences.
 *
 *     bun test/differential/record-leniencies.ts http://127.0.0.1:8080/ignite
 */
import { writeFileSync } from 'node:fs';
import { outcomeText } from './difference.ts';
import { differingAnswer, LENIENCIES_FILE, outcomesOf, type RecordedLeniency } from './recorded-leniencies.ts';
import { type Outcome, openEmbeddedTarget, openIgniteTarget } from './targets.ts';

const [url = ''] = process.argv.slice(2);
const node = await openIgniteTarget(url);
if (node === undefined) throw new Error(`no Ignite node at ${url}`);
const embedded = await openEmbeddedTarget();
const theirs = await outcomesOf(node);
const lines = [...(await outcomesOf(embedded))].map(([sql, ours]) =>
  JSON.stringify(recordOf(sql, ours, theirs.get(sql))),
);
writeFileSync(LENIENCIES_FILE, lines.map((line) => `${line}\n`).join(''));
await embedded.close();
await node.close();

function recordOf(sql: string, svc: Outcome, answer: Outcome | undefined): RecordedLeniency {
  if (answer === undefined) throw new Error(`no answer to ${sql}`);
  const ignite: Outcome = answer.kind === 'rows' ? answer : { kind: 'rejected', text: withoutStatement(answer.text) };
  const differing = differingAnswer(sql, svc, ignite);
  if (differing === undefined) return { sql, ignite };
  process.stdout.write(`${sql}\n  svc: ${differing}\n  ignite: ${outcomeText(ignite, false)}\n`);
  return { sql, ignite, svc: differing };
}

/** Returns the sentence of an error with its code, without ids of nodes. */
function withoutStatement(text: string): string {
  const [, inner = text] = /errMsg=([\s\S]*)\]$/.exec(text) ?? [];
  return inner.replace(/;? SQL statement:[\s\S]*?( \[\d{5}-197\])?$/, '$1').replace(/@[0-9a-f]{6,8}$/, '');
}
