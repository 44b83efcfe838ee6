/** Creates a {@link RawRequest} from a request's bytes. Only the form of the bytes is checked here. */
import { checkContentEncoding } from '../base/content-encoding.ts';
import type { GridError } from '../base/errors.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import { STEP_CHARACTERS } from '../base/slices.ts';
import type { FailureForm, PeerNetwork, PreAuthentication, RawRequest } from '../service/request.ts';
import type { JsonTypes } from '../values/json-parameters.ts';
import { readForm } from './form-body.ts';
import type { HeaderBlock, RequestLine } from './head/head.ts';
import type { IncomingRequest } from './incoming-request.ts';
import { readJsonBody } from './json-body.ts';
import type { ParameterSink } from './parameters.ts';

const FORM = 'application/x-www-form-urlencoded';
const JSON_OBJECT = 'application/json';

/** A request's head and its sender. */
export type RequestHead = Pick<IncomingRequest, 'line' | 'block' | 'peer'> & Partial<Pick<IncomingRequest, 'stream'>>;

export class HttpRequest implements RawRequest {
  readonly method: 'GET' | 'POST';
  readonly cmd: string | undefined;
  readonly params: ReadonlyMap<string, string>;
  readonly preAuthentication: MaybePromise<PreAuthentication> | undefined;
  readonly body: RequestHead['stream'];
  readonly rowFormat: RawRequest['rowFormat'];
  readonly failureForm: FailureForm | undefined;
  readonly followsContract: boolean;
  readonly jsonTypes: JsonTypes | undefined;
  readonly #head: RequestHead;

  constructor(
    params: ReadonlyMap<string, string>,
    head: RequestHead,
    preAuthentication?: MaybePromise<PreAuthentication>,
    cmd = params.get('cmd'),
    rowFormat?: RawRequest['rowFormat'],
    failureForm?: FailureForm,
    jsonTypes?: JsonTypes,
  ) {
    this.method = head.line.method === 'GET' ? 'GET' : 'POST';
    this.cmd = cmd;
    this.params = params;
    this.preAuthentication = preAuthentication;
    this.body = head.stream;
    this.rowFormat = rowFormat;
    this.failureForm = failureForm;
    this.jsonTypes = jsonTypes;
    // Only requests for resources have a separate form.
    this.followsContract = failureForm !== undefined || jsonTypes !== undefined;
    this.#head = head;
  }

  header(name: string): string | null {
    return this.#head.block.headers.get(name) ?? null;
  }

  peerAddress(): string {
    const address = this.#head.peer.addressOf(this.#head.block.headers);
    return address.startsWith('::ffff:') ? address.slice(7) : address;
  }

  peerNetwork(): PeerNetwork {
    return this.#head.peer.networkOf(this.#head.block.headers);
  }

  get certificateSubject(): string | undefined {
    return this.#head.peer.certificateSubject;
  }

  signal(): AbortSignal {
    return this.#head.peer.signal();
  }

  end(failure: GridError): void {
    this.#head.peer.end(failure);
  }
}

/**
 * Returns whether wrong credentials in the head reject a request regardless of its body. Credentials in a small body
 * take precedence over the header's: many clients send head and body separately, and log in again through the body of a
 * request whose header still has an expired token.
 */
export function isDecidedByHead({ chunked, contentLength = 0 }: HeaderBlock): boolean {
  return chunked || contentLength > STEP_CHARACTERS;
}

/** Returns whether the body of such a request is read: a form or a JSON object, sent with POST. */
export function readsBody({ method }: RequestLine, block: HeaderBlock): boolean {
  return method === 'POST' && isParametersType(block);
}

/** Returns whether a body of this type holds parameters. */
export function isParametersType({ headers }: HeaderBlock): boolean {
  const { mediaType } = contentType(headers.get('content-type'));
  return mediaType === FORM || mediaType === JSON_OBJECT;
}

/**
 * Adds a body's parameters to the sink, which already has the query string's, in steps. Throws REQUEST_MALFORMED,
 * LIMIT_EXCEEDED, COMMAND_CONFLICT, CONTENT_ENCODING.
 */
export function* readParameters(
  { headers }: HeaderBlock,
  body: Uint8Array,
  sink: ParameterSink,
): Generator<undefined, void> {
  const { mediaType, charset } = contentType(headers.get('content-type'));
  if (body.length > 0) checkBodyCoding({ headers });
  if (mediaType === FORM) yield* readForm(body, charset, sink);
  else if (mediaType === JSON_OBJECT) yield* readJsonBody(body, sink);
}

/** Throws CONTENT_ENCODING if the body is compressed. */
export function checkBodyCoding({ headers }: Pick<HeaderBlock, 'headers'>): void {
  checkContentEncoding(headers.get('content-encoding'));
}

/** Returns the media type and charset of a Content-Type header, in lower case. */
export function contentType(header: string | undefined): { mediaType: string; charset: string | undefined } {
  if (header === undefined) return { mediaType: '', charset: undefined };
  if (header === FORM) return { mediaType: FORM, charset: undefined };
  const [mediaType = '', ...attributes] = header.split(';');
  const charset = attributes
    .map((each) => /^\s*charset\s*=\s*"?([^"\s]+)"?\s*$/i.exec(each)?.[1])
    .find((each) => each !== undefined);
  return { mediaType: mediaType.trim().toLowerCase(), charset: charset?.toLowerCase() };
}
