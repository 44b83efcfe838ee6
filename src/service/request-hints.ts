/** Hints for the sender of a request that lacks parameters. */
import type { RawRequest } from './request.ts';

const READ_TYPES = ['application/json', 'application/x-www-form-urlencoded'];

/** Returns the remedy for a request without a command. */
export function commandHint(request: RawRequest, serviceName: string): string {
  const example = `/${serviceName}?cmd=version, or the JSON body {"cmd":"version"} with Content-Type: application/json`;
  return bodyHint(request) ?? `For example: ${example}.`;
}

/**
 * Returns the reason why the parameters in the body are missing, or undefined if there is no body, or it was
 * read as intended.
 */
export function bodyHint(request: RawRequest): string | undefined {
  return unreadBodyHint(request) ?? jsonAsFormHint(request);
}

/** `curl -d '{...}'` declares its body as a form, which then consists of a single name: the JSON text. */
function jsonAsFormHint({ params }: RawRequest): string | undefined {
  if (![...params.keys()].some((name) => name.trimStart().startsWith('{'))) return undefined;
  return 'The body is JSON, but it was sent as a form: add Content-Type: application/json (curl: --json).';
}

/** Returns the reason why the body was not read, or undefined if there is none, or it was read. */
function unreadBodyHint(request: RawRequest): string | undefined {
  const length = request.header('content-length');
  const hasBody = request.header('transfer-encoding') !== null || (length !== null && length !== '0');
  if (!hasBody) return undefined;
  const type = request.header('content-type')?.split(';', 1)[0]?.trim().toLowerCase() || 'missing';
  if (READ_TYPES.includes(type)) return undefined;
  return `The body was not read: its Content-Type is ${type}, not ${READ_TYPES.join(' or ')}.`;
}
