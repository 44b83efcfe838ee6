/** Reads the change feed of a running service like a client: over a socket, line by line. */

/** A part of a stream. */
export interface StreamEvent {
  readonly event: 'open' | 'change' | 'heartbeat' | 'gap' | 'end';
  /** Null in front of a cluster. */
  readonly position: string | null;
  readonly operation?: string;
  readonly cache?: string;
  readonly key?: unknown;
  readonly value?: unknown;
  readonly oldValue?: unknown;
  readonly reason?: string;
  readonly error?: string | null;
}

/** Yields the events of a stream until it ends. Throws the text of an envelope. */
export async function* changeEvents(
  url: string,
  query: Readonly<Record<string, string>>,
  init: RequestInit = {},
): AsyncGenerator<StreamEvent> {
  const response = await fetch(`${url}?${new URLSearchParams({ cmd: 'watch', ...query })}`, init);
  if (!(response.headers.get('content-type') ?? '').includes('ndjson')) throw new Error(await response.text());
  if (response.body === null) return;
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of response.body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line) as StreamEvent;
  }
}

/** Returns all events up to now. */
export async function eventsUpToNow(
  url: string,
  query: Readonly<Record<string, string>>,
  init?: RequestInit,
): Promise<readonly StreamEvent[]> {
  return await Array.fromAsync(changeEvents(url, { follow: 'false', ...query }, init));
}

/** Returns the changes among events, each as `operation key value oldValue`. */
export function changesIn(events: readonly StreamEvent[]): string[] {
  const shown = (each: unknown): string => (each === undefined ? '-' : JSON.stringify(each));
  return events
    .filter(({ event }) => event === 'change')
    .map(({ operation, key, value, oldValue }) => [operation, ...[key, value, oldValue].map(shown)].join(' '));
}
