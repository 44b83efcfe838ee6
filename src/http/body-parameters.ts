/**
 * Reads the parameters of bodies: small bodies at once, larger ones in slices between which the thread serves others.
 * One body above 1 MiB and one smaller body are decoded at a time, each kind in order of arrival.
 */
import type { Clock } from '../base/clock.ts';
import { HTTP_BOUNDS, type Limits } from '../base/limits.ts';
import { GeneratorWork, LARGE_CHARACTERS, runAtOnce, SliceQueue } from '../base/slices.ts';
import type { CommandService } from '../service/request.ts';
import type { BodyBuffer } from './body-buffer.ts';
import type { CommandPath } from './command-path.ts';
import type { IncomingRequest } from './connection-host.ts';
import type { ParameterSink } from './form-decoder.ts';
import type { HeaderBlock, RequestLine } from './head/head.ts';
import { bodyWork } from './request.ts';

export interface BodyParametersOptions {
  readonly serviceName: string;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly service: Pick<CommandService, 'arrayParameter'>;
  readonly path: CommandPath;
}

export class BodyParameters {
  readonly #limit: number;
  readonly #path: CommandPath;
  readonly #arrayParameter: ParameterSink['arrayParameter'];
  /** Parameters that identify the command and the sender. */
  readonly #identifying: NonNullable<ParameterSink['only']>;
  readonly #medium: SliceQueue;
  readonly #large: SliceQueue;

  constructor({ serviceName, limits, clock, service, path }: BodyParametersOptions) {
    this.#path = path;
    this.#arrayParameter = service.arrayParameter;
    this.#limit = limits.parametersPerRequest;
    const names = ['cmd', 'httpStatus', 'sessionToken', 'user', 'password'];
    this.#identifying = {
      names: new Set([...names, `${serviceName}.login`, `${serviceName}.password`]),
      longest: HTTP_BOUNDS.credentialBytes,
    };
    this.#medium = new SliceQueue(clock);
    this.#large = new SliceQueue(clock);
  }

  /** Adds the parameters of a small body; those that are present keep their values. */
  readAtOnce({ line, block }: IncomingRequest, body: BodyBuffer, into: Map<string, string>): void {
    const work = bodyWork(block, body.whole(), this.#sink(line, into));
    if (work !== undefined) runAtOnce(work);
  }

  /** Does the same in slices, and frees the body. Throws REQUEST_TIMEOUT when the client disconnects. */
  async read({ line, block, peer }: IncomingRequest, body: BodyBuffer, into: Map<string, string>): Promise<void> {
    await this.#decode(block, body, this.#sink(line, into), peer.signal());
    body.free();
  }

  /** Returns the parameters of a query, and those of the body that identify the command and the sender. */
  async findSender(
    { line, block, peer }: IncomingRequest,
    body: BodyBuffer,
    query: ReadonlyMap<string, string>,
  ): Promise<Map<string, string>> {
    const found = new Map(query);
    await this.#decode(block, body, { ...this.#sink(line, found), only: this.#identifying }, peer.signal());
    return found;
  }

  #sink(line: RequestLine, into: Map<string, string>): ParameterSink {
    return {
      into,
      limit: this.#limit,
      alreadyRead: into.size,
      arrayParameter: this.#arrayParameter,
      command: this.#path.commandOf(line.target),
    };
  }

  #decode(block: HeaderBlock, body: BodyBuffer, sink: ParameterSink, signal: AbortSignal): Promise<void> {
    // Decoding a large body takes many slices, and smaller ones need not wait for it.
    const queue = body.length > LARGE_CHARACTERS ? this.#large : this.#medium;
    return queue.enqueue(signal, async (run) => {
      const assembly = new GeneratorWork(body.assembly());
      await run(assembly);
      const work = bodyWork(block, assembly.result ?? body.whole(), sink);
      if (work !== undefined) await run(work);
    });
  }
}
