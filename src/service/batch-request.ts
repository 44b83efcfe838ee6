/** A command of a batch as a request: its own parameters, and everything else of the request with the batch. */
import type { BatchCommand } from '../commands/batch-commands.ts';
import type { PeerNetwork, RawRequest } from './request.ts';

export class BatchRequest implements RawRequest {
  readonly cmd: string | undefined;
  readonly params: ReadonlyMap<string, string>;
  readonly #whole: RawRequest;

  constructor(whole: RawRequest, { cmd, params }: BatchCommand, serviceName: string) {
    this.#whole = whole;
    this.cmd = cmd;
    this.params = withCredentials(params, whole.params, serviceName);
  }

  get method() {
    return this.#whole.method;
  }

  get certificateSubject() {
    return this.#whole.certificateSubject;
  }

  /** The rows of queries are always JSON, because they are part of an envelope. */
  header(name: string): string | null {
    return name === 'accept' ? null : this.#whole.header(name);
  }

  peerAddress(): string {
    return this.#whole.peerAddress();
  }

  peerNetwork(): PeerNetwork {
    return this.#whole.peerNetwork();
  }

  signal(): AbortSignal {
    return this.#whole.signal();
  }
}

/** Returns the parameters with the credentials of the batch, which another process needs to execute the command. */
function withCredentials(
  params: ReadonlyMap<string, string>,
  whole: ReadonlyMap<string, string>,
  serviceName: string,
): ReadonlyMap<string, string> {
  const names = ['sessionToken', `${serviceName}.login`, `${serviceName}.password`].filter((name) => whole.has(name));
  if (names.length === 0) return params;
  return new Map([...params, ...names.map((name) => [name, whole.get(name) ?? ''] as const)]);
}
