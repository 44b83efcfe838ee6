/** Runs the examples of all commands as programs of one language, and compares what they print with the examples. */
import { expect } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ExampleProgram, examplePrograms } from '../../scripts/pages/example-tabs.ts';
import { guideExamples } from '../../scripts/pages/guide-tabs.ts';
import { handwrittenPages } from '../../scripts/pages/stated-values.ts';
import { findCommand } from '../../src/commands/registry.ts';
import type { JsonSchema } from '../../src/commands/reply.ts';
import type { Language, ProgramRequest } from '../../src/samples/program.ts';
import { schemaErrors } from '../json-schema.ts';
import { startService } from '../system/service-process.ts';

const root = join(import.meta.dir, '../..');
const PASSWORD = 'admin-password';
/** The beginning of the line before an example's output. */
const MARK = '@@ ';

/** Part of the output of examples whose response is not JSON. */
const STREAMS: Readonly<Record<string, string>> = { export: 'a,1', watch: 'sent' };

/** Returns the response in an example's output; its schema is the second argument. */
export type ResponseIn = (printed: string, schema: JsonSchema) => unknown;

/** Data that guides store with the command line before the requests of their examples. */
const STORED_BEFORE: readonly string[] = [
  'CREATE TABLE town (id INT PRIMARY KEY, name VARCHAR, people INT)',
  "INSERT INTO town VALUES (1, 'Oslo', 709000), (2, 'Turku', 206000), (3, 'Rome', 2800000)",
];

/** An example as it is run. */
export interface RunExample {
  readonly name: string;
  readonly requests: readonly ProgramRequest[];
  readonly needsLogin: boolean;
  /**
   * When it runs: examples that change nothing first, because their responses may depend on the data; those that change
   * the state last.
   */
  readonly rank: number;
  /** Throws if its output is not the documented one. */
  readonly check: (printed: string, responseIn: ResponseIn) => void;
}

/** One program with several examples. */
export interface Batch {
  readonly endpoint: string;
  readonly needsLogin: boolean;
  readonly examples: readonly RunExample[];
  /** Replaces the user and the password shown in the programs. */
  readonly withUser: (text: string) => string;
  /** A folder for its files. */
  readonly folder: string;
}

/** Returns the line that a program prints before an example's output. */
export function markOf({ name }: RunExample): string {
  return `${MARK}${name}`;
}

/**
 * Runs the examples that need a login on a service with authentication, and the others on an open one. `run` returns
 * the program's output, and `responseIn` the response in one example's output.
 */
export async function runExamples(
  language: Language,
  run: (batch: Batch) => Promise<string>,
  responseIn: ResponseIn,
): Promise<void> {
  const guides = examplesOfGuides();
  expect(guides.length).toBeGreaterThan(5);
  const all = [...guides, ...examplePrograms('svc').map(exampleOfCommand)];
  for (const needsLogin of [false, true]) {
    const folder = mkdtempSync(join(tmpdir(), 'svc-examples-'));
    const login = needsLogin ? { SVC_AUTHENTICATION: 'true', SVC_ADMIN_PASSWORD: PASSWORD } : {};
    await using service = await startService({ env: { SVC_BACKUP_FOLDER: folder, ...login } });
    if (!needsLogin) {
      for (const qry of STORED_BEFORE)
        await service.command(`${new URLSearchParams({ cmd: 'qryfldexe', pageSize: '1', qry })}`);
    }
    const examples = all
      .filter((each) => each.needsLogin === needsLogin)
      .toSorted((left, right) => left.rank - right.rank);
    expect(examples.length).toBeGreaterThan(10);
    const withUser = (text: string): string => text.replaceAll('USER', 'svc').replaceAll('PASSWORD', PASSWORD);
    try {
      const output = await run({ endpoint: service.url, needsLogin, examples, withUser, folder });
      const printed = new Map(
        output
          .split(new RegExp(`^${MARK}`, 'm'))
          .slice(1)
          .map((part): [string, string] => [part.slice(0, part.indexOf('\n')), part.slice(part.indexOf('\n') + 1)]),
      );
      for (const { name, check } of examples) {
        const text = printed.get(name);
        if (text === undefined) throw new Error(`${language.name}: ${name} is missing in ${output}`);
        check(text, responseIn);
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

function exampleOfCommand({ command, requests, needsLogin }: ExampleProgram): RunExample {
  const { name, example, reply, access, group } = command;
  const readRank = requests.length === 1 ? 0 : 2;
  const writeRank = group === 'cluster' ? 4 : 3;
  return {
    name,
    requests,
    needsLogin,
    rank: access === 'read' ? readRank : writeRank,
    check(printed, responseIn) {
      const { [name]: part } = STREAMS;
      if (part !== undefined) {
        expect([name, printed]).toEqual([name, expect.stringContaining(part)]);
        return;
      }
      const response = responseIn(printed, reply.schema);
      if (example.response !== undefined) expect([name, response]).toEqual([name, example.response]);
      expect([name, schemaErrors(reply.schema, response)]).toEqual([name, []]);
    },
  };
}

/** The examples of guides, in order, because they depend on earlier ones. */
function examplesOfGuides(): RunExample[] {
  return handwrittenPages().flatMap((path) =>
    guideExamples(readFileSync(join(root, path), 'utf8')).map(
      ({ requests, printed: shown = '' }, index): RunExample => {
        const name = `${path.replaceAll(/\W/g, '')}${index}`;
        return {
          name,
          requests,
          needsLogin: false,
          rank: 1,
          check(printed, responseIn) {
            if (requests.at(-1)?.asRows === true) {
              const rows = (text: string) =>
                text
                  .split('\n')
                  .filter((line) => line.trim() !== '')
                  .map((line) => Object.values(JSON.parse(line)));
              // curl prints the responses to all requests.
              expect([name, rows(printed).slice(-rows(shown).length)]).toEqual([name, rows(shown)]);
              return;
            }
            if (requests.at(-1)?.cmd !== 'watch') {
              const schema = findCommand(requests.at(-1)?.cmd ?? '')?.reply.schema ?? {};
              expect([name, withoutIds(responseIn(printed, schema))]).toEqual([name, shownResponse(shown, name)]);
              return;
            }
            const operations = (text: string) => text.match(/(?<="operation":\s?")\w+/g);
            expect([name, operations(printed)]).toEqual([name, operations(shown)]);
          },
        };
      },
    ),
  );
}

/** Returns the response that a guide shows; the envelope of the last line, or the response alone. */
function shownResponse(shown: string, name: string): unknown {
  // An envelope may be shown without its beginning.
  const last = (shown.trimEnd().split('\n').at(-1) ?? '').replace(
    /^\{"successStatus":0,.*\.\.\..*,"response":(.*)\}$/,
    '$1',
  );
  // Text that differs between runs.
  if (last === '...') return expect.anything();
  const parsed: unknown = JSON.parse(last);
  if (parsed === null) throw new Error(`${name} shows no response`);
  return withoutIds(typeof parsed === 'object' && 'successStatus' in parsed ? Reflect.get(parsed, 'response') : parsed);
}

/** Replaces ids that differ from one run to the next. */
function withoutIds(response: unknown): unknown {
  const text = JSON.stringify(response)
    .replaceAll(/"affinityNodeId":"[^"]*"/g, '"affinityNodeId":"..."')
    .replaceAll(/"queryId":\d+/g, '"queryId":1');
  return JSON.parse(text);
}

/** Writes a file of a batch and returns its path. */
export function writeProgram({ folder, withUser }: Batch, name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, withUser(text));
  return path;
}

/** Returns a response that was printed as JSON. */
export function jsonResponse(printed: string): unknown {
  return JSON.parse(printed);
}

/** Returns the response in the envelope that was printed last, on a separate line. Throws for a failure. */
export function envelopeResponse(printed: string): unknown {
  const last = printed.trimEnd().split('\n').at(-1) ?? '';
  const { successStatus, error, response }: { successStatus: number; error: unknown; response: unknown } =
    JSON.parse(last);
  if (successStatus !== 0) throw new Error(`The example failed: ${String(error)}`);
  return response;
}
