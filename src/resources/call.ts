/**
 * A request for a resource, and the means to translate it: the commands that it executes and the grid's definitions.
 */
import { gridError } from '../base/errors.ts';
import type { Limits } from '../base/limits.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { Grid, RowFormat } from '../grid/grid.ts';
import type { CommandService, Outcome, ResourceRequest } from '../service/request.ts';
import type { ResourceMethod } from './declarations.ts';

/** The building blocks of resources. */
export interface ResourceOptions {
  readonly service: Pick<CommandService, 'execute' | 'reject' | 'unread' | 'answerOnce'>;
  readonly caches: Pick<Grid['caches'], 'find' | 'list' | 'cacheOfTable'>;
  readonly serviceName: string;
  readonly defaultCache: string;
  readonly limits: Limits;
  /** Whether the grid is a cluster, which does not report a table's cache. */
  readonly manyNodes: boolean;
}

export type Pairs = ReadonlyArray<readonly [name: string, value: string]>;

/** A request whose address, method and media types are known. */
export interface ResourceCall {
  readonly options: ResourceOptions;
  readonly method: ResourceMethod;
  readonly segments: readonly string[];
  readonly pairs: Pairs;
  readonly request: ResourceRequest;
  /** The response's media type. */
  readonly accepted: string;
  /** The body's media type, or undefined if the method reads none. */
  readonly mediaType: string | undefined;
}

/** Executes a command for a request. */
export function execute(
  { options, request }: ResourceCall,
  cmd: string,
  params: Map<string, string>,
  rowFormat: RowFormat = 'json',
): MaybePromise<Outcome> {
  return options.service.execute(request.translated(cmd, params, rowFormat));
}

/** Returns the text of a request's body. Throws RESOURCE_INVALID. */
export function bodyText({ request }: ResourceCall): string {
  try {
    return UTF_8.decode(request.bodyBytes());
  } catch {
    throw gridError('RESOURCE_INVALID', 'body', 'it is not UTF-8');
  }
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true });
