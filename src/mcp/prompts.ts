/** Prompts of `svc mcp`: what users often ask an assistant to do with a service. */
import type { Prompt, PromptMessage } from '@modelcontextprotocol/sdk/types.js';
import { INVALID_PARAMS, ProtocolError } from './protocol-error.ts';
import { type Candidates, tableContents, tableNames } from './resources.ts';
import type { ToolClient } from './tool-client.ts';

/** A prompt that svc mcp offers. */
export interface OfferedPrompt {
  readonly prompt: Prompt;
  /** The tools that its text names. If one is missing, the prompt is not offered. */
  readonly tools: readonly string[];
  /** Returns values that complete an argument. */
  readonly candidates?: Readonly<Record<string, Candidates>>;
  messages(
    given: Readonly<Record<string, string>>,
    client: ToolClient,
    signal: AbortSignal,
  ): Promise<readonly PromptMessage[]>;
}

/** Statement that lists the slowest statements; durations are milliseconds and include the wait for locks. */
const SLOWEST =
  'SELECT SQL, EXECUTIONS, FAILURES, DURATION_MIN, DURATION_MAX FROM SYS.SQL_QUERIES_HISTORY ' +
  'ORDER BY DURATION_MAX DESC LIMIT 10';

export const PROMPTS: readonly OfferedPrompt[] = [
  {
    prompt: {
      name: 'explore-table',
      title: 'Explore a table',
      description: 'Finds out what a table contains.',
      arguments: [{ name: 'table', description: 'The table as a statement writes it.', required: true }],
    },
    tools: ['query'],
    candidates: { table: tableNames },
    async messages({ table = '' }, client, signal) {
      const { name, resource } = await tableContents(table, client, signal);
      const steps = [
        `Find out what the table ${name} contains. Its columns and indexes are attached.`,
        `1. Count the rows with \`query\`: SELECT COUNT(*) FROM ${name}`,
        `2. Read some of them: SELECT * FROM ${name} LIMIT 10`,
        '3. For the columns that matter, find the smallest and largest value, the number of distinct values and of NULLs.',
        'Then say in a few sentences what a row is, what identifies it, what is remarkable in the data, and which three ' +
          'questions the table can answer.',
      ];
      return [
        { role: 'user', content: { type: 'text', text: steps.join('\n') } },
        { role: 'user', content: { type: 'resource', resource } },
      ];
    },
  },
  {
    prompt: {
      name: 'explain-statement',
      title: 'Explain a slow statement',
      description: 'Finds out why a statement is slow, and what would make it faster.',
      arguments: [
        { name: 'statement', description: 'The SQL statement; without it, the slowest of late.', required: false },
      ],
    },
    tools: ['query', 'describe'],
    async messages({ statement }) {
      const given =
        statement === undefined || statement.trim() === ''
          ? ['Find the slowest statement of the service, why it is slow, and what would make it faster.']
          : ['Find out why this statement is slow, and what would make it faster:', '```sql', statement, '```'];
      return text([
        ...given,
        `1. The service keeps durations in milliseconds, with the wait for locks. Read them with \`query\`: ${SLOWEST}`,
        '2. Execute EXPLAIN followed by the statement. The plan says for each table how its rows are found: "finds rows of" ' +
          'a table by an index or the primary key, or "reads all rows of" it.',
        '3. Read the columns and indexes of these tables with `describe`.',
        'Then explain the plan, and propose an index or another form of the statement. Compare the plans of both forms, and ' +
          'create no index before I have agreed.',
      ]);
    },
  },
  {
    prompt: {
      name: 'import-csv',
      title: 'Import a CSV file',
      description: 'Imports a CSV file into a table, which is created if it is missing.',
      arguments: [
        { name: 'file', description: 'The path of the file.', required: true },
        { name: 'table', description: 'The table; without it, named like the file.', required: false },
      ],
    },
    tools: ['query', 'describe'],
    async messages({ file = '', table }, { url }) {
      if (file.trim() === '')
        throw new ProtocolError(INVALID_PARAMS, 'the argument file is missing: it must be the path of a file');
      const words = ['svc', 'import', shellWord(file), ...(table ? ['--table', shellWord(table)] : []), '--url', url];
      return text([
        `Import the file ${file} into a table. No tool reads files: execute the commands in a shell, or ask me to do it.`,
        '1. Show what would happen. This prints the statement that would create the table, and imports nothing:',
        '```sh',
        `${words.join(' ')} --dry-run`,
        '```',
        '2. Show me the statement, and ask whether names, types and key are right. `--types zip=varchar` sets types, ' +
          '`--key` the columns of the key, `--columns` the names and `--delimiter` the delimiter.',
        '3. Import, with the same options. This creates the table if it is missing:',
        '```sh',
        `${words.join(' ')} --yes`,
        '```',
        'Keys that exist are an error, unless `--on-duplicate` is replace or skip.',
        '4. Check the result: the columns with `describe`, the number of rows and some of them with `query`.',
      ]);
    },
  },
];

function text(lines: readonly string[]): readonly PromptMessage[] {
  return [{ role: 'user', content: { type: 'text', text: lines.join('\n') } }];
}

/** Returns a word as shells read it. */
function shellWord(word: string): string {
  return /^[\w./:@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
