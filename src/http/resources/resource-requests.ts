/** Requests for resources, whose bodies are values or rows instead of the parameters of a command. */
import { fail, GridError } from '../../base/errors.ts';
import { chain, type MaybePromise } from '../../base/maybe-promise.ts';
import { STEP_CHARACTERS } from '../../base/slices.ts';
import { failedOutcome, type Outcome, type ResourceService } from '../../service/request.ts';
import type { IncomingRequest } from '../connection-host.ts';
import type { RequestLine } from '../head/head.ts';
import type { HttpRequest } from '../request.ts';

const WITH_BODY: ReadonlySet<string> = new Set(['PUT', 'POST', 'PATCH']);

/** Returns the path of a target. */
export function pathOf(target: string): string {
  const question = target.indexOf('?');
  return question < 0 ? target : target.slice(0, question);
}

/** Reports whether the body of a request is that of a resource. */
export function readsResourceBody(resources: ResourceService, { method, target }: RequestLine): boolean {
  return WITH_BODY.has(method) && resources.has(pathOf(target));
}

/** Executes a request for a resource. A large body is only read of a sender whom the head identifies. */
export function executeResource(
  resources: ResourceService,
  path: string,
  { line, body, bodyDropped, preAuthentication }: IncomingRequest,
  head: HttpRequest,
): MaybePromise<Outcome> {
  const isLarge = body !== undefined && body.length > STEP_CHARACTERS;
  if (preAuthentication === undefined || !(bodyDropped || isLarge)) return execute(resources, path, line, body, head);
  return chain(preAuthentication, (result) => {
    if (result === 'known') return execute(resources, path, line, body, head);
    return resources.reject(head, result instanceof GridError ? result : fail('TOKEN_MISSING'));
  });
}

function execute(
  resources: ResourceService,
  path: string,
  { method, target }: RequestLine,
  body: IncomingRequest['body'],
  head: HttpRequest,
): MaybePromise<Outcome> {
  return resources.execute({
    method,
    path,
    query: target.slice(path.length + 1),
    head,
    body: body?.whole() ?? NOTHING,
  });
}

const NOTHING = new Uint8Array(0);

export const NO_RESOURCES: ResourceService = {
  has: () => false,
  methodsOf: () => '',
  streamsBody: () => false,
  reject: (_head, error) => failedOutcome(error, true),
  execute: ({ path }) => failedOutcome(fail('PATH_NOT_FOUND', path), true),
};
