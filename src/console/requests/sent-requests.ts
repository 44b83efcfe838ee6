/** The requests that this page has sent last, to show how programs send them. */
import { signal } from '@preact/signals';

export interface SentRequest {
  readonly cmd: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The file that is the body of the request. The parameters are then part of the address. */
  readonly file?: { readonly name: string; readonly type: string };
}

interface NumberedRequest extends SentRequest {
  readonly number: number;
}

/** The requests of a few clicks. In a longer list they would be hard to find. */
const MAX_REQUESTS = 20;
/** A longer one would not be read, and would occupy memory. */
const MAX_CHARACTERS = 20_000;

/** The latest first, without duplicates. */
export const sentRequests = signal<readonly NumberedRequest[]>([]);

/** Signals of requests that the page repeats by itself. */
const repeated = new WeakSet<AbortSignal>();
let lastNumber = 0;

/** Marks the requests with a signal as repeated by the page itself: they are not noted. */
export function markRepeated(of: AbortSignal): void {
  repeated.add(of);
}

/** Notes a request, without passwords. */
export function noteSent(request: SentRequest, of: AbortSignal | undefined): void {
  if (of !== undefined && repeated.has(of)) return;
  const text = textOf(request);
  if (text.length > MAX_CHARACTERS) return;
  const shown = ([name, value]: readonly [string, unknown]) => [name, /password/i.test(name) ? 'PASSWORD' : value];
  const params = Object.fromEntries(Object.entries(request.params).map(shown));
  const noted = textOf({ ...request, params });
  const others = sentRequests.peek().filter((each) => textOf(each) !== noted);
  sentRequests.value = [{ ...request, params, number: ++lastNumber }, ...others].slice(0, MAX_REQUESTS);
}

function textOf({ cmd, params, file }: SentRequest): string {
  const exact = (_: string, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value);
  return JSON.stringify([cmd, params, file?.name], exact);
}
