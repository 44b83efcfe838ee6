/**
 * The requests of guides in other languages. A guide shows JSON requests with curl; the element `details` right after
 * them has the same in the other languages, which `npm run generate` writes.
 */

import { needsOf, type ProgramRequest } from '../../src/samples/program.ts';
import { shellCommands } from '../../test/documentation/shell.ts';
import { otherLanguages } from './example-tabs.ts';
import { isForResource, resourceDetails } from './resource-tabs.ts';

const SUMMARY = 'TypeScript, Python, Go, Java';

/** A block of requests in a guide, and the block with what it prints. */
export interface GuideExample {
  readonly requests: readonly ProgramRequest[];
  readonly printed: string | undefined;
}

const EXAMPLE =
  /(^```sh\n((?:(?!```)[^\n]*\n)*)```\n\n)<details>\n<summary>TypeScript, Python, Go, Java<\/summary>\n[\s\S]*?^<\/details>$(?:\n\n```(?:json|text)\n((?:(?!```)[^\n]*\n)*)```)?/gm;

/** Returns a page with the requests of its examples in other languages. */
export function withLanguages(markdown: string): string {
  return markdown.replaceAll(EXAMPLE, (found, _block: string, script: string) => {
    const commands = curlCommands(script);
    const requests = commands.some(isForResource) ? [] : requestsOf(script);
    const written = commands.some(isForResource)
      ? resourceDetails(commands, SUMMARY)
      : otherLanguages(requests, needsOf('', requests, false));
    return found.replace(/<details>[\s\S]*<\/details>/, () => written);
  });
}

/** Returns the examples of a page that are also shown in other languages. */
export function guideExamples(markdown: string): readonly GuideExample[] {
  return [...markdown.matchAll(EXAMPLE)]
    .filter(([, , script = '']) => !curlCommands(script).some(isForResource))
    .map(([, , script = '', printed]) => ({ requests: requestsOf(script), printed }));
}

/** Returns the commands of the examples for resources, also shown in other languages, and the output of curl. */
export function resourceExamples(
  markdown: string,
): ReadonlyArray<{ readonly commands: ReadonlyArray<readonly string[]>; readonly printed: string }> {
  return [...markdown.matchAll(EXAMPLE)]
    .map(([, , script = '', printed = '']) => ({ commands: curlCommands(script), printed }))
    .filter(({ commands }) => commands.some(isForResource));
}

function curlCommands(script: string): ReadonlyArray<readonly string[]> {
  return shellCommands(script).filter(([program]) => program === 'curl');
}

function requestsOf(script: string): ProgramRequest[] {
  return curlCommands(script).map((words): ProgramRequest => {
    const json = words[words.indexOf('--json') + 1];
    if (json === undefined || !words.includes('--json')) throw new Error(`${words.join(' ')} sends no JSON`);
    const { cmd, ...params }: Readonly<Record<string, unknown>> = JSON.parse(json);
    const key = words.flatMap((word) => /^Idempotency-Key: (.*)$/.exec(word)?.[1] ?? [])[0];
    return {
      cmd: String(cmd),
      params,
      ...(key !== undefined && { idempotencyKey: key }),
      ...(words.includes('Accept: application/x-ndjson') && { asRows: true }),
    };
  });
}
