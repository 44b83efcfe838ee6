/** A command as a resource executes it: parameters of its own, and sender and headers of the request. */
import type { ByteSource } from '../base/byte-source.ts';
import type { GridError } from '../base/errors.ts';
import type { RowFormat } from '../grid/grid.ts';
import type { FailureForm, PeerNetwork, RawRequest } from '../service/request.ts';

/** Statuses of resources are those of HTTP, and errors are objects, whatever the options say. */
const AS_OBJECTS: FailureForm = { httpStatus: true, errorObjects: true };

export class TranslatedRequest implements RawRequest {
  readonly method: RawRequest['method'];
  readonly cmd: string;
  readonly params: ReadonlyMap<string, string>;
  readonly body: ByteSource | undefined;
  readonly failureForm = AS_OBJECTS;
  readonly rowFormat: RowFormat;
  readonly #head: RawRequest;

  constructor(head: RawRequest, cmd: string, params: ReadonlyMap<string, string>, rowFormat: RowFormat = 'json') {
    this.method = head.method;
    this.cmd = cmd;
    this.params = params;
    this.body = head.body;
    this.rowFormat = rowFormat;
    this.#head = head;
  }

  get certificateSubject(): string | undefined {
    return this.#head.certificateSubject;
  }

  get preAuthentication(): RawRequest['preAuthentication'] {
    return this.#head.preAuthentication;
  }

  header(name: string): string | null {
    return this.#head.header(name);
  }

  peerAddress(): string {
    return this.#head.peerAddress();
  }

  peerNetwork(): PeerNetwork {
    return this.#head.peerNetwork();
  }

  signal(): AbortSignal {
    return this.#head.signal();
  }

  end(failure: GridError): void {
    this.#head.end(failure);
  }
}
