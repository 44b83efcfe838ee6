/** The parts of a server that its connections use. */
import type { GridError } from '../base/errors.ts';
import type { ClientAddresses } from './client-addresses.ts';
import type { ReplyCompression } from './compression/reply-compression.ts';
import type { DeferredReads } from './deferred-reads.ts';
import type { RequestHandler } from './incoming-request.ts';
import type { ResponseBudget } from './replies/response-budget.ts';
import type { RequestBuffers } from './request-buffers.ts';
import type { RequestQueue } from './request-queue.ts';
import type { ServerTicks } from './server-ticks.ts';

export interface ConnectionContext {
  readonly handler: RequestHandler;
  readonly queue: RequestQueue;
  readonly deferredReads: DeferredReads;
  readonly ticks: ServerTicks;
  readonly requestBuffers: RequestBuffers;
  /** The budget of responses that clients have not read yet. */
  readonly responses: ResponseBudget;
  readonly compression: ReplyCompression;
  readonly clients: ClientAddresses;
  readonly headLimitBytes: number;
  readonly bodyLimitBytes: number;
  /** Whether the service may respond now; always, if undefined. */
  readonly mayAnswer: (() => boolean) | undefined;
  /** Logs an unexpected error and returns the error to respond with. */
  readonly unexpected: (error: unknown) => GridError;
}
