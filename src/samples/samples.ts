/** Requests as programs send them, in several languages: in the console and in the reference. */
import { CURL } from './curl.ts';
import { GO } from './go.ts';
import { JAVA } from './java.ts';
import { type Language, needsOf, type ProgramNeeds, type ProgramRequest } from './program.ts';
import { PYTHON } from './python.ts';
import { TYPESCRIPT } from './typescript.ts';

/** The languages, in the order in which they are shown. */
export const LANGUAGES: readonly Language[] = [CURL, TYPESCRIPT, PYTHON, GO, JAVA];

/** Returns a program in a language that sends requests, and prints the response to the last one. */
export function programOf(
  language: Language,
  endpoint: string,
  requests: readonly ProgramRequest[],
  needsLogin: boolean,
): string {
  const needs = needsOf(endpoint, requests, needsLogin);
  return withSetup(language, needs, language.calls(requests, needs));
}

/** Returns statements inside the common frame of programs. */
export function withSetup(language: Language, needs: ProgramNeeds, calls: string): string {
  const { before, after } = language.setup(needs);
  return `${before}${indented(calls, language)}\n${after}`;
}

/** Returns statements indented as within a program; lines of a multi-line string keep their position in Go. */
function indented(calls: string, { indent }: Language): string {
  return indent === '' ? calls : calls.replaceAll(/^(?=.)/gm, indent);
}
