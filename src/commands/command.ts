/** The shape of a command: data that everything else follows from, and one handler. */
import type { ErrorCode } from '../base/errors.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { Context } from './context.ts';
import type { Arguments, Parameters } from './params.ts';
import type { Reply } from './reply.ts';

export type CommandGroup = 'cache' | 'entry' | 'bulk' | 'counter' | 'query' | 'task' | 'cluster' | 'user' | 'server';

/**
 * What a caller needs. `open`: nothing; `session`: to be logged in where authentication is on; `cache*`: on the
 * command's cache; `admin*`: the named administration right.
 */
export type Permission =
  | 'open'
  | 'session'
  | 'cacheRead'
  | 'cachePut'
  | 'cacheRemove'
  | 'cacheCreate'
  | 'cacheDestroy'
  | 'counter'
  | 'taskExecute'
  | 'adminState'
  | 'adminUsers'
  | 'adminLog';

export interface Example {
  /** Requests that come first, as query strings. */
  readonly before?: readonly string[];
  /** The request as a query string without the path; `{id}` stands for that member of the response before. */
  readonly query: string;
  /** JSON of `response`, compared as a whole; absent where it differs from run to run. */
  readonly response?: unknown;
}

export interface CommandDeclaration {
  /** Value of `cmd`, lower case. */
  readonly name: string;
  /** Ignite's internal name, which its failure texts carry. */
  readonly request: string;
  readonly group: CommandGroup;
  readonly summary: string;
  /** Version of the product that brought it. */
  readonly since: string;
  /** Whether it changes anything. */
  readonly access: 'read' | 'write';
  readonly needs: Permission;
  /** How failures of the handler stand in the envelope (errors.ts, `wrap: 'command'`). */
  readonly failures: 'wrapped' | 'bare';
  /**
   * `entry`: Ignite reads key, val, val2, cacheFlags, exp, k1.., v1.. for every such command, also where they
   * are not used, and answers with an affinityNodeId member (docs/spec/ignite-data.md 2). `own`: only what is declared.
   */
  readonly reading: 'entry' | 'own';
  /** Which parameters choose the node: none, or destId with or without the exception for replicated caches. */
  readonly routing: 'none' | 'keyed' | 'always';
  readonly params: Parameters;
  readonly errors: readonly ErrorCode[];
  readonly example: Example;
}

/** A command with its handler, typed by its parameters and its reply. */
export interface Command<P extends Parameters, R> extends CommandDeclaration {
  readonly params: P;
  readonly reply: Reply<R>;
  run(args: Arguments<P>, context: Context): MaybePromise<R>;
}

/** A command as the registry holds it: the types of arguments and result are settled inside. */
export interface RegisteredCommand extends CommandDeclaration {
  readonly reply: Pick<Reply<never>, 'kind' | 'summary' | 'schema'>;
  /** Runs the handler on decoded arguments; gives what `next` makes of the result's JSON text, or of its pieces. */
  perform<T>(
    args: Readonly<Record<string, unknown>>,
    context: Context,
    next: (response: string | AsyncIterable<string>) => MaybePromise<T>,
  ): MaybePromise<T>;
}

/** Declares a command. */
export function command<P extends Parameters, R>(declaration: Command<P, R>): RegisteredCommand {
  const { reply, run } = declaration;
  return {
    ...declaration,
    perform(args, context, next) {
      // The gate builds `args` from `params`, one member for each, so this is what Arguments<P> says.
      const result = run(args as Arguments<P>, context);
      return result instanceof Promise
        ? result.then((value) => next(reply.write(value, context)))
        : next(reply.write(result, context));
    },
  };
}

/** What all commands on entries share. */
export const ON_ENTRY = {
  since: '1.0.0',
  failures: 'wrapped',
  reading: 'entry',
  routing: 'keyed',
} as const;

/** What the commands share that are about no entry. */
export const ON_SERVICE = {
  since: '1.0.0',
  failures: 'wrapped',
  reading: 'own',
  routing: 'none',
} as const;
