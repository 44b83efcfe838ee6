/** Requests for resources, whose bodies are values or rows instead of command parameters. */
import { GridError, gridError } from '../../base/errors.ts';
import { chain, type MaybePromise } from '../../base/maybe-promise.ts';
import { STEP_CHARACTERS } from '../../base/slices.ts';
import {
  type FailureForm,
  failedOutcome,
  type Outcome,
  type RawRequest,
  type ResourceAddress,
  type ResourceRequest,
  type ResourceService,
  withoutCredentials,
} from '../../service/request.ts';
import type { RequestLine } from '../head/head.ts';
import type { IncomingRequest } from '../incoming-request.ts';
import { HttpRequest } from '../request.ts';

const WITH_BODY: ReadonlySet<string> = new Set(['PUT', 'POST', 'PATCH']);

/** Returns the path of a target. */
export function pathOf(target: string): string {
  const question = target.indexOf('?');
  return question < 0 ? target : target.slice(0, question);
}

/** Reports whether a request for a resource may have a body. */
export function mayHaveBody({ method }: RequestLine): boolean {
  return WITH_BODY.has(method);
}

/** Resources use the standard HTTP statuses, and errors are objects, regardless of the options. */
const AS_OBJECTS: FailureForm = { httpStatus: true, errorObjects: true };
const NO_PARAMETERS: ReadonlyMap<string, string> = new Map();

export class HttpResourceRequest extends HttpRequest implements ResourceRequest {
  readonly path: string;
  readonly query: string;
  readonly address: ResourceAddress;
  readonly #incoming: IncomingRequest;

  constructor(path: string, address: ResourceAddress, incoming: IncomingRequest) {
    super(NO_PARAMETERS, incoming, incoming.preAuthentication);
    const { target } = incoming.line;
    this.path = path;
    this.query = target.length === path.length ? '' : target.slice(path.length + 1);
    this.address = address;
    this.#incoming = incoming;
  }

  get httpMethod(): string {
    return this.#incoming.line.method;
  }

  /** Whether its body is only read if the head identifies the sender. */
  get isSliced(): boolean {
    const { body, bodyDropped } = this.#incoming;
    return bodyDropped || (body !== undefined && body.length > STEP_CHARACTERS);
  }

  bodyBytes(): Uint8Array {
    return this.#incoming.body?.whole() ?? NOTHING;
  }

  translated(
    cmd: string,
    params: ReadonlyMap<string, string>,
    rowFormat: RawRequest['rowFormat'],
    types?: RawRequest['jsonTypes'],
  ): RawRequest {
    return new HttpRequest(params, this.#incoming, this.preAuthentication, cmd, rowFormat, AS_OBJECTS, types);
  }
}

/** Executes a request for a resource. */
export function executeResource(resources: ResourceService, request: HttpResourceRequest): MaybePromise<Outcome> {
  const { preAuthentication } = request;
  if (preAuthentication === undefined || !request.isSliced) return resources.execute(request);
  return chain(preAuthentication, (result) => {
    if (result === 'known') return resources.execute(request);
    return resources.reject(request, result instanceof GridError ? result : withoutCredentials(request));
  });
}

const NOTHING = new Uint8Array(0);

export const NO_RESOURCES: ResourceService = {
  contains: () => false,
  addressOf: () => undefined,
  methodsOf: () => '',
  streamsBody: () => false,
  reject: (_head, error) => failedOutcome(error, true),
  execute: ({ path }) => failedOutcome(gridError('PATH_NOT_FOUND', path), true),
};
