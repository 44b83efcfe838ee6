/** A command of a batch as a request: its own parameters, and everything else from the batch's request. */
import type { GridError } from '../base/errors.ts';
import type { BatchCommand } from '../commands/batch-commands.ts';
import type { IdempotencyKey } from '../grid/idempotency.ts';
import type { JsonTypes } from '../values/json-parameters.ts';
import type { PeerNetwork, RawRequest } from './request.ts';

/** Headers that concern the response as a whole. */
const OF_THE_WHOLE: ReadonlySet<string> = new Set(['accept', 'idempotency-key']);

export class BatchRequest implements RawRequest {
  readonly cmd: string | undefined;
  readonly idempotencyKey: IdempotencyKey | undefined;
  readonly params: ReadonlyMap<string, string>;
  readonly followsContract: boolean;
  readonly jsonTypes: JsonTypes | undefined;
  readonly #whole: RawRequest;

  constructor(
    whole: RawRequest,
    { cmd, params, types }: Pick<BatchCommand, 'cmd' | 'params' | 'types'>,
    serviceName: string,
    idempotencyKey?: IdempotencyKey,
    followsContract = whole.followsContract === true,
  ) {
    this.#whole = whole;
    this.idempotencyKey = idempotencyKey;
    this.cmd = cmd;
    this.followsContract = followsContract;
    this.jsonTypes = whole.jsonTypes && types;
    this.params = withInherited(params, whole.params, serviceName);
  }

  get method() {
    return this.#whole.method;
  }

  get certificateSubject() {
    return this.#whole.certificateSubject;
  }

  /** The rows of queries are always JSON, because they are part of an envelope. The batch's key applies. */
  header(name: string): string | null {
    return OF_THE_WHOLE.has(name) ? null : this.#whole.header(name);
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

  /** Ends the batch, because later commands could depend on this one. */
  end(failure: GridError): void {
    this.#whole.end(failure);
  }
}

/** Parameters of the batch that apply to its commands unless they have their own. */
const INHERITED = ['errors', 'numbers', 'dates'];

/** Returns the parameters together with the batch's, including the credentials, which another process needs. */
function withInherited(
  params: ReadonlyMap<string, string>,
  whole: ReadonlyMap<string, string>,
  serviceName: string,
): ReadonlyMap<string, string> {
  const names = [...INHERITED, ...credentialNames(serviceName)].filter((name) => whole.has(name) && !params.has(name));
  if (names.length === 0) return params;
  return new Map([...params, ...names.map((name) => [name, whole.get(name) ?? ''] as const)]);
}

/** Returns the names of the parameters with credentials. */
export function credentialNames(serviceName: string): readonly string[] {
  return ['sessionToken', `${serviceName}.login`, `${serviceName}.password`];
}
