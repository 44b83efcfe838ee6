/** Commands as tools of the Model Context Protocol. Everything is derived from the declarations. */
import { errorObject } from '../base/error-object.ts';
import { SQL_BOUNDS } from '../base/limits.ts';
import { SqlFailure } from '../base/sql-failure.ts';
import type { BatchUse, RegisteredCommand } from '../commands/command.ts';
import { pageSize } from '../commands/params.ts';
import { COMMANDS } from '../commands/registry.ts';
import type { JsonSchema } from '../commands/reply.ts';
import { exampleRequest, requestParameters, withServiceName } from '../documentation/command-guide.ts';
import { requestSchema } from '../documentation/openapi-commands.ts';
import { analyze, parseOnce } from '../sql/analysis/analysis.ts';
import { statementError } from '../sql/syntax/statement-error.ts';
import { writeNode } from '../values/json.ts';
import { type ToolClient, ToolFailure } from './tool-client.ts';

/** A tool as the protocol describes it. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema & { readonly type: 'object' };
  readonly annotations: ToolHints;
}

interface ToolHints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: false;
}

/** A tool that svc mcp offers. */
export interface OfferedTool {
  readonly tool: Tool;
  /** Returns the result as JSON, with all digits of its numbers. Throws ToolFailure. */
  call(given: Readonly<Record<string, unknown>>, client: ToolClient, signal: AbortSignal): Promise<string>;
}

/** The hints to clients about a tool that changes nothing. */
export const READS_ONLY: ToolHints = hintsOf(false);

/** How a user can enable more, in the terms used where the options are. */
export interface OptionWords {
  readonly product: string;
  readonly writes: string;
  readonly tools: string;
}

/**
 * The tools offered by default: each takes space in a model's context, and with a dozen it finds the right one more
 * often than with forty.
 */
const USUAL: ReadonlySet<string> = new Set([
  ...['tables', 'describe', 'query', 'qryfetch'],
  ...['cachelist', 'metadata', 'get', 'getall', 'conkey', 'size', 'qryscanexe', 'version'],
  ...['put', 'putall', 'rmv', 'batch'],
]);

/** Reports whether a tool is offered by default, where it is allowed. */
export function isUsual(name: string): boolean {
  return USUAL.has(name);
}

/** Whether a tool can offer such commands: none that streams, returns files or logs in. */
const CAN_BE_TOOL: Readonly<Record<BatchUse, boolean>> = {
  atomic: true,
  separate: true,
  isBatch: true,
  streams: false,
  returnsBytes: false,
  returnsChanges: false,
  returnsRows: false,
  logsIn: false,
};

/** Returns the commands that tools offer: those that read, or all. */
export function offeredCommands(allowsWrites: boolean): readonly RegisteredCommand[] {
  return COMMANDS.filter(({ batch, access, returnsSecret }) => {
    if (!CAN_BE_TOOL[batch] || returnsSecret === true) return false;
    return allowsWrites || (access === 'read' && batch !== 'isBatch');
  });
}

/** Reports whether the tool with this name is offered only with writes. */
export function isWritingTool(name: string): boolean {
  const isOffered = (writes: boolean) => offeredCommands(writes).some((each) => each.name === name);
  return isOffered(true) && !isOffered(false);
}

/** Returns a command's tool with its effect. */
export function commandTool(
  command: RegisteredCommand,
  serviceName: string,
  allowsWrites: boolean,
  words: OptionWords,
): OfferedTool {
  const { name, rightsOn, subject = '' } = command;
  return {
    tool: toolOf(command, serviceName, allowsWrites),
    async call(given, client, signal) {
      if (!allowsWrites && rightsOn === 'statement') {
        const reason = reasonAgainst(String(given[subject] ?? ''), words);
        if (reason !== undefined) throw new ToolFailure(reason);
      }
      const { response } = await client.command(name, JSON.stringify(completeArguments(command, given)), { signal });
      return writeNode(response);
    },
  };
}

function hintsOf(changes: boolean): ToolHints {
  return { readOnlyHint: !changes, destructiveHint: changes, idempotentHint: !changes, openWorldHint: false };
}

/** Returns the tool of a command. */
export function toolOf(command: RegisteredCommand, serviceName: string, allowsWrites: boolean): Tool {
  const { name, summary, reply, access, rightsOn } = command;
  const changes = access === 'write' || (rightsOn === 'statement' && allowsWrites);
  const example = requestParameters(exampleRequest(command.example, serviceName), command, serviceName);
  const only = rightsOn === 'statement' && !allowsWrites ? ' Only statements that read are executed.' : '';
  return {
    name,
    description:
      `${withServiceName(serviceName, summary)}${only} Returns: ${withServiceName(serviceName, reply.summary)} ` +
      `Example of the arguments: ${JSON.stringify(example)}`,
    inputSchema: exactIntegers(requestSchema(withPageSize(command), serviceName)),
    annotations: hintsOf(changes),
  };
}

/** Allows 64-bit integers to be strings: most programs' JSON rounds them beyond 2^53. */
function exactIntegers({ properties, ...schema }: JsonSchema): Tool['inputSchema'] {
  const members = Object.entries(properties ?? {}).map(([name, member]): [string, JsonSchema] => {
    const { format, ...rest } = member;
    return [name, format === 'int64' ? { ...rest, type: ['integer', 'string'] } : member];
  });
  return { ...schema, type: 'object', properties: Object.fromEntries(members) };
}

/** Page size if an assistant specifies none: what it reads should be short. */
const PAGE_ROWS = 100;
const PAGE_SUMMARY = 'Maximum number of rows per page; 0 returns only the columns.';

/** Returns a command with a default number of rows per page. */
function withPageSize(command: RegisteredCommand): RegisteredCommand {
  const params = Object.entries(command.params).map(([argument, parameter]) => {
    const sized = { ...parameter, required: false, defaultText: String(PAGE_ROWS), summary: PAGE_SUMMARY };
    return [argument, parameter.name === pageSize.name ? sized : parameter];
  });
  return { ...command, params: Object.fromEntries(params) };
}

/** Returns a tool's arguments with the page size, if the command needs it. */
function completeArguments(
  { params }: RegisteredCommand,
  given: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const isPaged = Object.values(params).some(({ name }) => name === pageSize.name);
  return isPaged ? { ...given, [pageSize.name]: given[pageSize.name] ?? PAGE_ROWS } : given;
}

/**
 * Returns the reason why a statement is not executed: it is not read-only, or its syntax is invalid, in which case the
 * error is returned. Undefined if it is executed.
 */
export function reasonAgainst(statement: string, { product, writes: option }: OptionWords): string | undefined {
  const { kind, writes, parsed } = analyze(statement);
  if ((kind === 'query' || kind === 'explain') && parsed && writes.length === 0) return undefined;
  return (
    (parsed || statement.length > SQL_BOUNDS.parsedCharacters ? undefined : syntaxError(statement)) ??
    `only SELECT, WITH, VALUES and EXPLAIN of them are executed (${product} ${option} allows all statements)`
  );
}

/** Returns a statement's error as JSON, as the service would report it, or undefined if it can be parsed. */
function syntaxError(statement: string): string | undefined {
  try {
    parseOnce(statement);
    return undefined;
  } catch (error) {
    if (!(error instanceof SqlFailure)) throw error;
    return JSON.stringify(errorObject(statementError(error, statement)));
  }
}

/**
 * Returns the reason why arguments cannot be sent as they are, or undefined if they can: a number may have lost
 * digits already.
 */
export function inexactNumber(value: unknown): string | undefined {
  if (typeof value === 'number') {
    if (!Number.isInteger(value) || Number.isSafeInteger(value)) return undefined;
    return `${value} may have been rounded: write integers beyond 2^53 as strings, with all their digits`;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const each of Object.values(value)) {
    const reason = inexactNumber(each);
    if (reason !== undefined) return reason;
  }
  return undefined;
}
