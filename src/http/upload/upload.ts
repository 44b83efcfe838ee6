/** The body that a connection forwards to the current request's command while it arrives. */
import { gridError } from '../../base/errors.ts';
import { type BodyReader, streamReaderOf } from '../body-reader.ts';
import type { ConnectionContext } from '../connection-context.ts';
import { IncomingBody } from '../incoming-body.ts';
import type { ReceivedHead } from '../incoming-request.ts';
import type { ServerTicks } from '../server-ticks.ts';
import { BodyStream } from './body-stream.ts';

export class Upload {
  readonly stream: BodyStream;
  readonly #reader: BodyReader | undefined;
  readonly #body: IncomingBody | undefined;
  readonly #ticks: ServerTicks;
  #continueExpected: boolean;

  /** Calls `onDemand` when the command waits for bytes. */
  constructor(context: ConnectionContext, request: ReceivedHead, onDemand: () => void) {
    const { block } = request;
    this.#ticks = context.ticks;
    // The sender is unknown until the command reads.
    this.stream = new BodyStream(context.requestBuffers.openBody(request, false), onDemand);
    this.#reader = streamReaderOf(block, this.stream);
    this.#body = this.#reader && new IncomingBody(context.ticks, this.#reader, undefined, undefined);
    this.#continueExpected = block.expectsContinue;
    if (this.#reader === undefined) this.stream.end();
  }

  /** Whether the complete body has been received. */
  get done(): boolean {
    return this.#reader?.done !== false;
  }

  /** Returns, only once, whether the client waits to be asked for the body. */
  takeContinue(): boolean {
    const expected = this.#continueExpected && this.#reader?.readBytes === 0;
    this.#continueExpected = false;
    return expected;
  }

  /** Reads bytes of the body and returns those that it did not read. Throws REQUEST_MALFORMED, BUFFERS_FULL. */
  feed(bytes: Buffer): Buffer {
    const rest = this.#reader?.feed(bytes) ?? bytes;
    if (this.done) this.stream.end();
    else this.#body?.noteProgress();
    return rest;
  }

  /** Throws REQUEST_TIMEOUT if the client sends too slowly. Called at every tick. */
  checkTime(): void {
    if (this.#body === undefined) return;
    if (this.stream.isBehind) this.#body.skipTick();
    else if (this.#ticks.tick >= this.#body.deadline) throw gridError('REQUEST_TIMEOUT');
  }
}
