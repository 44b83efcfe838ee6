/**
 * Writes the example of a command in several languages. In Markdown the first language is shown and the others are in a
 * `details` element after it, which scripts/site-tabs.ts converts to tabs.
 */
import type { ExampleBody, RegisteredCommand } from '../../src/commands/command.ts';
import { COMMANDS, findCommand } from '../../src/commands/registry.ts';
import {
  type ExampleRequest,
  examplePreparations,
  exampleRequest,
  requestLines,
  requestParameters,
} from '../../src/documentation/command-guide.ts';
import { type Language, needsOf, type ProgramNeeds, type ProgramRequest } from '../../src/samples/program.ts';
import { LANGUAGES, withSetup } from '../../src/samples/samples.ts';
import { blocks, code, codeBlock } from './markdown.ts';

/** An example as a program, and what it prints. */
export interface ExampleProgram {
  readonly command: RegisteredCommand;
  readonly requests: readonly ProgramRequest[];
  /** Commands on users and sessions need a login. */
  readonly needsLogin: boolean;
}

/** Returns the example of a command as a program. */
export function exampleProgram(command: RegisteredCommand, serviceName: string): ExampleProgram {
  const { example, group } = command;
  const requests = [...examplePreparations(example, serviceName), exampleRequest(example, serviceName)];
  return {
    command,
    requests: requests.map((request) => programRequest(request, serviceName)),
    needsLogin: group === 'user',
  };
}

/** Returns the examples of all commands. */
export function examplePrograms(serviceName: string): readonly ExampleProgram[] {
  return COMMANDS.map((command) => exampleProgram(command, serviceName));
}

function programRequest(request: ExampleRequest, serviceName: string): ProgramRequest {
  const cmd = new URLSearchParams(request.query).get('cmd') ?? '';
  const command = findCommand(cmd);
  if (command === undefined) throw new Error(`There is no command ${cmd}`);
  const params = requestParameters(request, command, serviceName);
  return request.body === undefined ? { cmd, params } : { cmd, params, body: rowsOf(request.body) };
}

function rowsOf({ type, text }: ExampleBody): NonNullable<ProgramRequest['body']> {
  return { type, rows: { text } };
}

function endpointOf(serviceName: string): string {
  return `http://localhost:8080/${serviceName}`;
}

/** Returns the example of a command: its requests in several languages, the response, and the requests of Ignite. */
export function exampleTabs(command: RegisteredCommand, serviceName: string): string {
  const { requests, needsLogin } = exampleProgram(command, serviceName);
  const needs = needsOf(endpointOf(serviceName), requests, needsLogin);
  const { example } = command;
  const queries = [...examplePreparations(example, serviceName), exampleRequest(example, serviceName)];
  return blocks(
    tabs((language) => language.calls(requests, needs)),
    example.response === undefined ? '' : blocks('Response:', codeBlock('json', [JSON.stringify(example.response)])),
    queries.some(({ body }) => body !== undefined)
      ? ''
      : `As a query string: ${queries.map((each) => requestLines(each, serviceName).map(code).join('')).join(', ')}`,
  );
}

/** Returns a complete program in each language, with which the examples of commands begin. */
export function programs(serviceName: string): string {
  const [, ...languages] = LANGUAGES;
  const requests: readonly ProgramRequest[] = [
    { cmd: 'put', params: { key: 'colour', val: 'red' } },
    { cmd: 'get', params: { key: 'colour' } },
  ];
  const text = (language: Language, needsLogin: boolean): string => {
    const needs = { ...needsOf(endpointOf(serviceName), requests, needsLogin), usesMember: true };
    return withSetup(language, needs, language.calls(requests, needs)).trimEnd();
  };
  return blocks(
    '### Programs',
    'The examples of commands are excerpts of these programs. TypeScript, Python and Go have clients ' +
      '([clients.md](clients.md)), whose methods return the member `response`. The function of Java returns the whole ' +
      'answer.',
    tabs((language) => text(language, false), languages),
    'With authentication:',
    tabs((language) => text(language, true), languages),
  );
}

function tabs(text: (language: Language) => string, languages: readonly Language[] = LANGUAGES): string {
  const [first, ...others] = languages;
  return first === undefined ? '' : blocks(blockOf(first, text), details(text, others));
}

function details(text: (language: Language) => string, languages: readonly Language[]): string {
  return blocks(
    `<details>\n<summary>${languages.map(({ name }) => name).join(', ')}</summary>`,
    ...languages.map((language) => blockOf(language, text)),
    '</details>',
  );
}

function blockOf(language: Language, text: (language: Language) => string): string {
  return codeBlock(language.fence, [text(language)]);
}

/** Returns requests in all languages but the first. */
export function otherLanguages(requests: readonly ProgramRequest[], needs: ProgramNeeds): string {
  return details((language) => language.calls(requests, needs), LANGUAGES.slice(1));
}
