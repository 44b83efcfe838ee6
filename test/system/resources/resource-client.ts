/** Requests for resources over real sockets, as one-line cases. */
import type { ServiceProcess } from '../service-process.ts';

/** An engine under which the suites of resources run. */
export interface ResourceEngine {
  /** The options that select the engine. */
  environment(): Readonly<Record<string, string>>;
  readonly isCluster: boolean;
  readonly limitMs: number;
}

export interface ResourceAnswer {
  readonly status: number;
  readonly text: string;
  readonly json: unknown;
  readonly headers: Headers;
}

/** Sends `PUT /caches/c/entries/k` with a JSON body unless the headers name another type. */
export async function send(
  { url }: Pick<ServiceProcess, 'url'>,
  request: string,
  body?: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<ResourceAnswer> {
  const [method = '', path = ''] = request.split(' ');
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { ...type, ...headers },
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  return {
    status: response.status,
    text,
    json: isJson && text !== '' ? JSON.parse(text) : undefined,
    headers: response.headers,
  };
}

/** Returns the code of the error in an answer, or its status if it has none. */
export function codeOf({ json, status }: ResourceAnswer): string {
  return typeof json === 'object' && json !== null && 'code' in json ? `${status} ${String(json.code)}` : `${status}`;
}
