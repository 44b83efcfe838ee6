/** Runs the examples of all commands as programs of one language, and compares what they print with the examples. */
import { expect } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ExampleProgram, examplePrograms } from '../../scripts/pages/example-tabs.ts';
import type { Language } from '../../src/samples/program.ts';
import { schemaErrors } from '../json-schema.ts';
import { startService } from '../system/service-process.ts';

const PASSWORD = 'admin-password';
/** Begins the line in front of what an example prints. */
const MARK = '@@ ';

/** What examples print whose response is no JSON: a part of it. */
const STREAMS: Readonly<Record<string, string>> = { export: 'a,1', watch: 'sent' };

/** One program with several examples. */
export interface Batch {
  readonly endpoint: string;
  readonly needsLogin: boolean;
  readonly examples: readonly ExampleProgram[];
  /** Replaces the user and the password that programs are shown with. */
  readonly withUser: (text: string) => string;
  /** A folder for its files. */
  readonly folder: string;
}

/** Returns the line that a program prints in front of what an example prints. */
export function markOf({ command }: ExampleProgram): string {
  return `${MARK}${command.name}`;
}

/**
 * Runs the examples that need a login on a service with authentication, and the others on an open one. `run` returns
 * what the program prints, and `responseIn` the response in what one example has printed.
 */
export async function runExamples(
  language: Language,
  run: (batch: Batch) => Promise<string>,
  responseIn: (printed: string) => unknown,
): Promise<void> {
  const programs = examplePrograms('svc');
  let count = 0;
  for (const needsLogin of [false, true]) {
    const folder = mkdtempSync(join(tmpdir(), 'svc-examples-'));
    const login = needsLogin ? { SVC_AUTHENTICATION: 'true', SVC_ADMIN_PASSWORD: PASSWORD } : {};
    await using service = await startService({ env: { SVC_BACKUP_FOLDER: folder, ...login } });
    const examples = programs
      .filter((each) => each.needsLogin === needsLogin)
      .toSorted((left, right) => rankOf(left) - rankOf(right));
    const withUser = (text: string): string => text.replaceAll('USER', 'svc').replaceAll('PASSWORD', PASSWORD);
    try {
      const output = await run({ endpoint: service.url, needsLogin, examples, withUser, folder });
      const printed = new Map(
        output
          .split(new RegExp(`^${MARK}`, 'm'))
          .slice(1)
          .map((part): [string, string] => [part.slice(0, part.indexOf('\n')), part.slice(part.indexOf('\n') + 1)]),
      );
      for (const { command } of examples) {
        const { name, example, reply } = command;
        const text = printed.get(name);
        const place = `${language.name}: ${name}`;
        if (text === undefined) throw new Error(`${place} is missing in ${output}`);
        const { [name]: part } = STREAMS;
        if (part !== undefined) expect([place, text]).toEqual([place, expect.stringContaining(part)]);
        else {
          const response = responseIn(text);
          if (example.response !== undefined) expect([place, response]).toEqual([place, example.response]);
          expect([place, schemaErrors(reply.schema, response)]).toEqual([place, []]);
        }
        count += 1;
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  expect(count).toBe(programs.length);
}

/** Returns when an example runs: what changes nothing first, because its response may depend on it; the state last. */
function rankOf({ command, requests }: ExampleProgram): number {
  if (command.access === 'read') return requests.length === 1 ? 0 : 1;
  return command.group === 'cluster' ? 3 : 2;
}

/** Writes a file of a batch and returns its path. */
export function writeProgram({ folder, withUser }: Batch, name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, withUser(text));
  return path;
}

/** Returns the response in the envelope that was printed last, on a line of its own. Throws for a failure. */
export function envelopeResponse(printed: string): unknown {
  const last = printed.trimEnd().split('\n').at(-1) ?? '';
  const { successStatus, error, response }: { successStatus: number; error: unknown; response: unknown } =
    JSON.parse(last);
  if (successStatus !== 0) throw new Error(`The example failed: ${String(error)}`);
  return response;
}
