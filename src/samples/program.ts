/** Requests as parts of a program, and the interface that a language implements to write them. */
import { splitNames } from '../client/names.ts';

/** Rows that a request sends instead of JSON; its parameters are then in the address. */
export interface RowsBody {
  /** The media type. */
  readonly type: string;
  /** The rows, or the name of the file that contains them. */
  readonly rows: { readonly text: string } | { readonly file: string };
}

/** One request of a program. */
export interface ProgramRequest {
  readonly cmd: string;
  /**
   * The members of a JSON request. After a program's first request, the text `{id}` represents that member of the
   * previous response.
   */
  readonly params: Readonly<Record<string, unknown>>;
  readonly body?: RowsBody;
  /** The Idempotency-Key header. */
  readonly idempotencyKey?: string;
  /** Whether to read a statement's rows one by one, instead of a page with their columns. */
  readonly asRows?: boolean;
}

/** The destination of a program's requests, and its other requirements. */
export interface ProgramNeeds {
  /** The endpoint: `http://localhost:8080/svc`. */
  readonly endpoint: string;
  /** Whether the service requires a login; programs have their own credentials. */
  readonly needsLogin: boolean;
  /** Whether a request uses a member of the previous response. */
  readonly usesMember: boolean;
  /** Whether a request sends a file. */
  readonly usesFile: boolean;
  /** Whether a request sends rows as a string. */
  readonly usesText: boolean;
  /** Whether the response to the last request is a stream of bytes. */
  readonly readsStream: boolean;
}

/** A language in which programs send requests. */
export interface Language {
  readonly name: string;
  /** The language of its blocks in Markdown. */
  readonly fence: string;
  /** Returns the common frame of all programs; `calls` are between its two parts, indented by `indent`. */
  readonly setup: (needs: ProgramNeeds) => { readonly before: string; readonly after: string };
  readonly indent: string;
  /** Returns the statements that send the requests, and print the response to the last one. */
  readonly calls: (requests: readonly ProgramRequest[], needs: ProgramNeeds) => string;
}

/** Returns the requirements of a program with these requests. */
export function needsOf(endpoint: string, requests: readonly ProgramRequest[], needsLogin: boolean): ProgramNeeds {
  return {
    endpoint,
    needsLogin,
    usesMember: requests.some((_, index) => usedMember(requests, index) !== undefined),
    usesFile: requests.some(({ body }) => body !== undefined && 'file' in body.rows),
    usesText: requests.some(({ body }) => body !== undefined && 'text' in body.rows),
    readsStream: requests.at(-1)?.cmd === 'export',
  };
}

const PLACEHOLDER = /^\{(\w+)\}$/;

/** Returns the name of the previous response's member that a parameter represents, or undefined for others. */
export function memberIn(value: unknown): string | undefined {
  return typeof value === 'string' ? PLACEHOLDER.exec(value)?.[1] : undefined;
}

/** Returns the member of a request's response that the next one uses. */
export function usedMember(requests: readonly ProgramRequest[], index: number): string | undefined {
  const next = Object.values(requests[index + 1]?.params ?? {});
  return next.map(memberIn).find((name) => name !== undefined);
}

/** Returns the parameters of a request as a query string. */
export function queryOf({ cmd, params }: ProgramRequest): string {
  const all = Object.entries({ cmd, ...params }).map(([name, value]): [string, string] => [name, String(value)]);
  return new URLSearchParams(all).toString();
}

/** Returns the parameters of `watch` as the clients name them. */
export function watchOptions({ cacheName, from, operation, oldValue, follow }: ProgramRequest['params']) {
  const listOf = (names: unknown) => (names === undefined ? undefined : String(names).split(','));
  return {
    caches: cacheName === undefined ? undefined : splitNames(String(cacheName)),
    from,
    operations: listOf(operation),
    follow,
    withOldValues: oldValue,
  };
}

/** Returns the members of a JSON request with the command. */
export function membersOf({ cmd, params }: ProgramRequest): Readonly<Record<string, unknown>> {
  return { cmd, ...params };
}
