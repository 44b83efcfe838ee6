/** The paths of commands: the endpoint `/svc`, and a path below it for each command, such as `/svc/get`. */
import type { Limits } from '../base/limits.ts';
import { checkCommand, malformed, readPairs } from './parameters.ts';

const SLASH = 47;

export class CommandPath {
  /** The path of the endpoint: `/svc`. */
  readonly endpoint: string;
  readonly #limits: Pick<Limits, 'parametersPerRequest'>;

  constructor(serviceName: string, limits: Pick<Limits, 'parametersPerRequest'>) {
    this.endpoint = `/${serviceName}`;
    this.#limits = limits;
  }

  /** Returns whether the path of a target, which ends before index `end`, is the endpoint. */
  isEndpoint(target: string, end: number): boolean {
    const own = this.endpoint.length;
    return (end === own || (end === own + 1 && target.charCodeAt(own) === SLASH)) && target.startsWith(this.endpoint);
  }

  /**
   * Returns the command that a target's path names, which is one segment below the endpoint, decoded. Undefined for
   * every other path. Throws REQUEST_MALFORMED.
   */
  commandOf(target: string): string | undefined {
    const start = this.endpoint.length + 1;
    // Nearly all targets continue with a question mark here.
    if (target.charCodeAt(start - 1) !== SLASH || !target.startsWith(this.endpoint)) return undefined;
    const question = target.indexOf('?', start);
    let end = question < 0 ? target.length : question;
    if (target.charCodeAt(end - 1) === SLASH) end--;
    if (end <= start) return undefined;
    const segment = target.slice(start, end);
    return segment.includes('/') ? undefined : decodeSegment(segment);
  }

  /**
   * Returns the parameters in a target's query string, with the command in its path as `cmd`. Throws REQUEST_MALFORMED,
   * LIMIT_EXCEEDED and COMMAND_CONFLICT.
   */
  parametersOf(target: string, question = target.indexOf('?')): Map<string, string> {
    const params = new Map<string, string>();
    const start = question < 0 ? target.length : question + 1;
    const command = this.commandOf(target);
    readPairs(target, start, params, this.#limits.parametersPerRequest, command === undefined ? 0 : 1);
    if (command === undefined) return params;
    const cmd = params.get('cmd');
    if (cmd !== undefined) checkCommand(command, cmd);
    return params.set('cmd', command);
  }
}

/** Decodes percent-encoding; `+` means itself in a path. */
function decodeSegment(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    throw malformed('the percent-encoded path is not valid UTF-8');
  }
}
