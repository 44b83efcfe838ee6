/**
 * The information in a recording about a service's clients: the commands, types and programs in use, and the requests
 * that svc would reject.
 */
import type { Compatibility } from '../base/compatibility.ts';
import { GridError } from '../base/errors.ts';
import { DEFAULT_LIMITS } from '../base/limits.ts';
import { compileDecoder, type Decoder } from '../commands/decode.ts';
import { findCommand } from '../commands/registry.ts';
import type { TypeRegistry } from '../values/value.ts';
import { type Exchange, parametersOf, type RequestParameters } from './exchange.ts';

/** A name with the number of requests that have it. */
export interface Count {
  readonly name: string;
  readonly requests: number;
}

/** A request that svc rejects although the recorded service may not have. */
export interface Rejection {
  readonly command: string;
  readonly error: string;
  readonly requests: number;
  /** How many of them the recorded service executed: their clients would notice. */
  readonly executed: number;
  /** Whether the option `compatibility=reference` restores Ignite's behaviour. */
  readonly isRestored: boolean;
  /** The first of these requests. */
  readonly target: string;
}

export interface UsageResult {
  readonly requests: number;
  readonly failed: number;
  readonly seconds: number;
  readonly commands: readonly Count[];
  readonly types: readonly Count[];
  readonly clients: readonly Count[];
  readonly addresses: number;
  readonly httpMethods: readonly Count[];
  /** Requests with credentials or a session token. */
  readonly authenticated: number;
  readonly rejections: readonly Rejection[];
}

/** Beyond this many, clients, types and messages are not distinguished. */
const MAX_NAMES = 10_000;
const OTHER = '(other)';
const TYPE_PARAMETER = /type\d*$/i;
const SUCCESS = /"successStatus"\s*:\s*0\b/;

/** Classes of values declared in a service's configuration are not known here. */
const NO_CLASSES: TypeRegistry = { find: () => undefined, isPartial: true };

/** Collects the requests in a recording of a service with that name. */
export class UsageReport {
  readonly #serviceName: string;
  readonly #decoders = new Map<string, Decoder>();
  readonly #commands = new Map<string, number>();
  readonly #types = new Map<string, number>();
  readonly #clients = new Map<string, number>();
  readonly #addresses = new Map<string, number>();
  readonly #methods = new Map<string, number>();
  readonly #rejections = new Map<string, Rejection>();
  #requests = 0;
  #failed = 0;
  #authenticated = 0;
  #lastMs = 0;

  constructor(serviceName: string) {
    this.#serviceName = serviceName;
  }

  add(exchange: Exchange): void {
    const request = parametersOf(exchange);
    this.#requests++;
    const executed = SUCCESS.test(exchange.answer.text ?? '');
    if (!executed && exchange.answer.text !== undefined) this.#failed++;
    this.#lastMs = Math.max(this.#lastMs, exchange.atMs);
    if (exchange.removed !== undefined) this.#authenticated++;
    count(this.#commands, request.cmd === '' ? '(none)' : request.cmd);
    count(this.#clients, exchange.client.agent === '' ? '(none)' : exchange.client.agent);
    count(this.#addresses, exchange.client.address);
    count(this.#methods, exchange.method);
    for (const [name, value] of request.params)
      if (TYPE_PARAMETER.test(name) && value !== '') count(this.#types, value);
    const error = this.#errorOf(request, 'contract');
    if (error !== undefined) this.#reject(exchange, request, error, executed);
  }

  #reject({ target }: Exchange, request: RequestParameters, error: string, executed: boolean): void {
    const key = `${request.cmd} ${error}`;
    const known = this.#rejections.get(key);
    if (known === undefined && this.#rejections.size >= MAX_NAMES) return;
    this.#rejections.set(key, {
      command: request.cmd,
      error,
      isRestored: known?.isRestored ?? this.#errorOf(request, 'reference') === undefined,
      target: known?.target ?? target,
      requests: (known?.requests ?? 0) + 1,
      executed: (known?.executed ?? 0) + (executed ? 1 : 0),
    });
  }

  /** Returns the error with which svc rejects the parameters, or undefined if it accepts them. */
  #errorOf({ cmd, params }: RequestParameters, compatibility: Compatibility): string | undefined {
    const command = findCommand(cmd);
    if (command === undefined) return cmd === '' ? 'the parameter cmd is missing' : `svc has no command ${cmd}`;
    let decoder = this.#decoders.get(command.name);
    if (decoder === undefined) {
      decoder = compileDecoder(command, this.#serviceName);
      this.#decoders.set(command.name, decoder);
    }
    try {
      const args = decoder.read({
        params,
        registry: NO_CLASSES,
        serviceName: this.#serviceName,
        defaultCache: 'default',
        compatibility,
        limits: DEFAULT_LIMITS,
        strictParameters: false,
        defaultPageSize: undefined,
        onReceive: undefined,
        ignored: () => {},
      });
      decoder.require(args, compatibility);
      return undefined;
    } catch (error) {
      if (error instanceof GridError) return error.message;
      throw error;
    }
  }

  result(): UsageResult {
    return {
      requests: this.#requests,
      failed: this.#failed,
      seconds: this.#lastMs / 1_000,
      commands: counts(this.#commands),
      types: counts(this.#types),
      clients: counts(this.#clients),
      addresses: this.#addresses.size,
      httpMethods: counts(this.#methods),
      authenticated: this.#authenticated,
      rejections: [...this.#rejections.values()].sort((a, b) => b.executed - a.executed || b.requests - a.requests),
    };
  }
}

function count(counted: Map<string, number>, name: string): void {
  const known = counted.has(name) || counted.size < MAX_NAMES ? name : OTHER;
  counted.set(known, (counted.get(known) ?? 0) + 1);
}

function counts(counted: ReadonlyMap<string, number>): Count[] {
  return [...counted].map(([name, requests]) => ({ name, requests })).sort((a, b) => b.requests - a.requests);
}
