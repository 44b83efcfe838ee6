/** From the runtime's request to {@link RawRequest}. Nothing is judged here but the form of the bytes. */
import { fail } from '../base/errors.ts';
import type { Limits } from '../base/limits.ts';
import type { RawRequest } from '../service/outcome.ts';
import { readForm } from './form-body.ts';
import { readJsonBody } from './json-body.ts';
import { readPairs } from './parameters.ts';

/** The headers of a request by lower-case name; read once, because each look-up in the runtime's own object costs. */
export type HeaderTable = Readonly<Record<string, string>>;

/** What of the server a request needs. */
export interface AddressBook {
  requestIP(request: Request): { readonly address: string } | null;
}

export class HttpRequest implements RawRequest {
  readonly cmd: string | undefined;
  readonly params: ReadonlyMap<string, string>;
  readonly #headers: HeaderTable;
  readonly #request: Request;
  readonly #addresses: AddressBook;

  constructor(params: ReadonlyMap<string, string>, headers: HeaderTable, request: Request, addresses: AddressBook) {
    this.cmd = params.get('cmd');
    this.params = params;
    this.#headers = headers;
    this.#request = request;
    this.#addresses = addresses;
  }

  header(name: string): string | null {
    return Object.hasOwn(this.#headers, name) ? (this.#headers[name] ?? null) : null;
  }

  peerAddress(): string {
    const address = this.#addresses.requestIP(this.#request)?.address ?? '';
    return address.startsWith('::ffff:') ? address.slice(7) : address;
  }

  signal(): AbortSignal {
    return this.#request.signal;
  }
}

/** The parameters of a query string, which begins at `start` of `url`. */
export function queryParameters(url: string, start: number, limits: Limits): Map<string, string> {
  const params = new Map<string, string>();
  readPairs(url, start, params, limits.parametersPerRequest, 0);
  return params;
}

/**
 * Adds the parameters of the body, if it is one that is read: a form or a JSON object. Those of the query string win.
 * Refuses BODY_TOO_LARGE, REQUEST_MALFORMED, LIMIT_EXCEEDED; rejects otherwise when the client goes away.
 * Gives the number of bytes read.
 */
export async function addBodyParameters(
  request: Request,
  headers: HeaderTable,
  params: Map<string, string>,
  limits: Limits,
): Promise<number> {
  const { mediaType, charset } = contentType(headers['content-type']);
  const body = await readBody(request, headers, limits.requestBodyBytes);
  if (mediaType === 'application/x-www-form-urlencoded') {
    readForm(body, charset, params, limits.parametersPerRequest, params.size);
  } else if (mediaType === 'application/json') {
    readJsonBody(body, params, limits.parametersPerRequest, params.size);
  }
  return body.byteLength;
}

/** Media type and charset of a Content-Type header, in lower case. */
export function contentType(header: string | undefined): { mediaType: string; charset: string | undefined } {
  if (header === undefined) return { mediaType: '', charset: undefined };
  const [mediaType = '', ...attributes] = header.split(';');
  const charset = attributes
    .map((each) => /^\s*charset\s*=\s*"?([^"\s]*)"?\s*$/i.exec(each)?.[1])
    .find((each) => each !== undefined);
  return { mediaType: mediaType.trim().toLowerCase(), charset: charset?.toLowerCase() };
}

/** The body, counted while it comes in: the runtime's own limit would answer without JSON. */
async function readBody(request: Request, headers: HeaderTable, limitBytes: number): Promise<Uint8Array> {
  const declared = headers['content-length'];
  if (declared !== undefined) {
    if (Number(declared) > limitBytes) throw fail('BODY_TOO_LARGE', limitBytes);
    return request.bytes();
  }
  if (request.body === null) return new Uint8Array(0);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body) {
    size += chunk.byteLength;
    if (size > limitBytes) throw fail('BODY_TOO_LARGE', limitBytes);
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}

/** Refuses HEAD_TOO_LARGE by the size that the request line and the headers had at least; gives that size. */
export function checkHead(url: string, headers: HeaderTable, limitBytes: number): number {
  let size = url.length;
  for (const name in headers) size += name.length + (headers[name]?.length ?? 0) + 4;
  if (size > limitBytes) throw fail('HEAD_TOO_LARGE', limitBytes);
  return size;
}
