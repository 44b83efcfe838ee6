/** One request for a resource, and what translates it: the commands that it executes and the grid's definitions. */
import { fail } from '../base/errors.ts';
import type { Limits } from '../base/limits.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { Grid, RowFormat } from '../grid/grid.ts';
import type { CommandService, Outcome, ResourceHead } from '../service/request.ts';
import type { ResourceMethod } from './declarations.ts';

/** What resources are composed of. */
export interface ResourceParts {
  readonly service: Pick<CommandService, 'execute' | 'reject' | 'unread'>;
  readonly caches: Pick<Grid['caches'], 'find' | 'list' | 'cacheOfTable'>;
  readonly serviceName: string;
  readonly defaultCache: string;
  readonly limits: Limits;
  /** The grid is a cluster, which does not tell the cache of a table. */
  readonly manyNodes: boolean;
}

export type Pairs = ReadonlyArray<readonly [name: string, value: string]>;

/** A request whose address, method and media types are known. */
export interface ResourceCall {
  readonly parts: ResourceParts;
  readonly method: ResourceMethod;
  /** The path, as sent. */
  readonly path: string;
  readonly segments: readonly string[];
  /** The same as sent, with percent codes. */
  readonly sentSegments: readonly string[];
  /** The query string, as sent. */
  readonly query: string;
  readonly pairs: Pairs;
  readonly head: ResourceHead;
  /** The media type of the answer. */
  readonly accepted: string;
  /** The media type of the body; undefined if the method reads none. */
  readonly mediaType: string | undefined;
  readonly body: Uint8Array;
}

/** Executes a command for a request. */
export function execute(
  { parts, head }: ResourceCall,
  cmd: string,
  params: Map<string, string>,
  rowFormat: RowFormat = 'json',
): MaybePromise<Outcome> {
  return parts.service.execute(head.translated(cmd, params, rowFormat));
}

/** Returns the text of a request's body. Throws RESOURCE_INVALID. */
export function bodyText({ body }: ResourceCall): string {
  try {
    return UTF_8.decode(body);
  } catch {
    throw fail('RESOURCE_INVALID', 'body', 'it is not UTF-8');
  }
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true });
