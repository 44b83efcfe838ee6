/** The instructions that `svc mcp` gives a language model at startup. */
import type { Tool } from './tools.ts';

/** Returns sentences that apply to the offered tools. */
export function instructionsFor(tools: readonly Tool[], url: string, allowsWrites: boolean): string {
  const names = new Set(tools.map(({ name }) => name));
  const has = (...needed: readonly string[]) => needed.every((name) => names.has(name));
  const accepts = (name: string) => tools.some(({ inputSchema }) => name in Object(inputSchema.properties));
  const sentences: ReadonlyArray<readonly [holds: boolean, sentence: string]> = [
    [true, `svc is a durable data grid with key-value entries, counters and SQL; this one is at ${url}.`],
    [has('tables'), '`tables` lists tables and views.'],
    [has('describe'), '`describe` returns the columns and indexes of one.'],
    [has('query'), '`query` executes SQL and returns 100 rows unless `pageSize` names another number.'],
    [
      has('query', 'qryfetch'),
      'Read more pages with `qryfetch`, whose `qryId` is the `queryId` of the first page, until `last` is true.',
    ],
    [accepts('keyType'), 'Keys are strings unless `keyType` names another type.'],
    [accepts('valueType'), 'Values are strings unless `valueType` names another type.'],
    [true, 'Write integers beyond 2^53 as strings.'],
    [!allowsWrites, 'Nothing can be changed: no tool writes, and only statements that read are executed.'],
    [allowsWrites, 'Tools whose `readOnlyHint` is false can change data.'],
    [true, 'The `code` of an error is explained by the resource svc://errors/CODE.'],
  ];
  return sentences.flatMap(([holds, sentence]) => (holds ? [sentence] : [])).join(' ');
}
