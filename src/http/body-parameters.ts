/**
 * Reads the parameters of bodies: small bodies at once, larger ones in slices between which the thread serves others.
 * One body above 1 MiB and one smaller body are decoded at a time, each kind in order of arrival.
 */
import type { Clock } from '../base/clock.ts';
import { gridError } from '../base/errors.ts';
import type { Limits } from '../base/limits.ts';
import { completeAtOnce, LARGE_CHARACTERS, SliceQueue } from '../base/slices.ts';
import type { CommandService } from '../service/request.ts';
import type { BodyBuffer } from './body-buffer.ts';
import type { CommandPath } from './command-path.ts';
import type { IncomingRequest } from './incoming-request.ts';
import type { ParameterSink } from './parameters.ts';
import { contentType, readParameters } from './request.ts';
import type { HttpSettings } from './settings.ts';

export interface BodyParametersOptions {
  readonly limits: Limits;
  readonly clock: Clock;
  readonly service: Pick<CommandService, 'findStructured' | 'streamsBody'>;
  readonly path: CommandPath;
  readonly settings: Pick<HttpSettings, 'json'>;
}

export class BodyParameters {
  readonly #limit: number;
  readonly #path: CommandPath;
  readonly #findStructured: ParameterSink['findStructured'];
  readonly #streamsBody: CommandService['streamsBody'];
  readonly #isTyped: boolean;
  readonly #medium: SliceQueue;
  readonly #large: SliceQueue;

  constructor({ limits, clock, service, path, settings }: BodyParametersOptions) {
    this.#isTyped = settings.json.types;
    this.#path = path;
    this.#findStructured = service.findStructured;
    this.#streamsBody = service.streamsBody;
    this.#limit = limits.parametersPerRequest;
    this.#medium = new SliceQueue(clock);
    this.#large = new SliceQueue(clock);
  }

  /**
   * Returns the receiver for the types in a JSON body whose request is not one of Ignite's: the body or the path names
   * the command. Undefined for any other body.
   */
  jsonTypesOf({ line, block }: IncomingRequest, body: BodyBuffer, params: ReadonlyMap<string, string>) {
    if (body.length === 0 || contentType(block.headers.get('content-type')).mediaType !== 'application/json') return;
    const isIgnite = params.has('cmd') && this.#path.commandOf(line.target) === undefined;
    return isIgnite ? undefined : new Map<string, string>();
  }

  /** Adds the parameters of a small body; existing ones keep their values. */
  readAtOnce(
    incoming: IncomingRequest,
    body: BodyBuffer,
    into: Map<string, string>,
    types?: Map<string, string>,
  ): void {
    completeAtOnce(this.#read(incoming, body.whole(), into, types));
  }

  /** Does the same in slices, and frees the body. Rejects with REQUEST_TIMEOUT when the client disconnects. */
  async read(
    incoming: IncomingRequest,
    body: BodyBuffer,
    into: Map<string, string>,
    types?: Map<string, string>,
  ): Promise<void> {
    // Decoding a large body takes many slices, and smaller ones need not wait for it.
    const queue = body.length > LARGE_CHARACTERS ? this.#large : this.#medium;
    await queue.complete(incoming.peer.signal(), this.#assembleAndRead(incoming, body, into, types));
    body.free();
  }

  *#assembleAndRead(
    incoming: IncomingRequest,
    body: BodyBuffer,
    into: Map<string, string>,
    types: Map<string, string> | undefined,
  ): Generator<undefined, void> {
    yield* this.#read(incoming, yield* body.assembly(), into, types);
  }

  #read(
    { line, block }: IncomingRequest,
    bytes: Uint8Array,
    into: Map<string, string>,
    types: Map<string, string> | undefined,
  ): Generator<undefined, void> {
    const command = this.#path.commandOf(line.target);
    const cmd = command ?? into.get('cmd');
    const { mediaType } = contentType(block.headers.get('content-type'));
    if (bytes.length > 0 && mediaType === 'application/json' && cmd !== undefined && this.#streamsBody?.(cmd) === true)
      throw gridError('IMPORT_BODY_JSON');
    const sink = { into, limit: this.#limit, findStructured: this.#findStructured, command };
    return readParameters(block, bytes, this.#isTyped ? { ...sink, types } : sink);
  }
}
