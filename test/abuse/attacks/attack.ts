/** Declares what an attack is, and creates attacks of the usual forms. */
import { DEFAULT_LIMITS } from '../../../src/base/limits.ts';
import { type Exchange, send } from './http-client.ts';

/** The address of the service under attack. */
export interface Target {
  readonly port: number;
}

export interface Attack {
  readonly title: string;
  /** Sends the requests at the same time, each on a separate connection, and returns what came back. */
  readonly run: (target: Target) => Promise<readonly Exchange[]>;
  /** Time after which every request must have been answered, in milliseconds. */
  readonly limitMs: number;
  /** The requests need no tables: they can be sent to any engine, with and without authentication. */
  readonly anyEngine: boolean;
  /** The client leaves before the answer. */
  readonly leaves: boolean;
  /** Requests that the attack sends one after another; each has the time `limitMs`. */
  readonly rounds: number;
}

const DEFAULTS = { limitMs: 15_000, anyEngine: false, leaves: false, rounds: 1 };
/** Time limit that attacks with statements set, in milliseconds. */
const STATEMENT_LIMIT_MS = 1_000;

type Options = Partial<Omit<Attack, 'title' | 'run'>>;

/** Characters of a statement, with room for its beginning and end. */
export const STATEMENT_CHARACTERS = DEFAULT_LIMITS.statementCharacters - 200;

/** Returns a text repeated until it fills a statement, or a part of one. */
export function filled(text: string, characters = STATEMENT_CHARACTERS): string {
  return text.repeat(Math.floor(characters / text.length));
}

/** Returns numbered texts that fill a statement, with separators. */
export function listed(text: (at: number) => string, separator = ','): string {
  const parts: string[] = [];
  for (let length = 0; length < STATEMENT_CHARACTERS - 100; ) {
    const part = text(parts.length);
    parts.push(part);
    length += part.length + separator.length;
  }
  return parts.join(separator);
}

/** Returns this many numbered texts. */
export function numbered(count: number, text: (at: number) => string, separator = ''): string {
  return Array.from({ length: count }, (_, at) => text(at)).join(separator);
}

/** Returns a text of one-byte characters, repeated `count` times. */
export function times(text: string, count: number): Buffer {
  return Buffer.alloc(text.length * count, text, 'latin1');
}

/** Returns a POST request with a body of known length. */
export function post(
  type: string,
  body: Uint8Array | string,
  path = '/svc',
  ...lines: readonly string[]
): Uint8Array[] {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const own = ['Host: localhost', `Content-Type: ${type}`, `Content-Length: ${bytes.length}`];
  return [Buffer.from(`${[`POST ${path} HTTP/1.1`, ...own, ...lines].join('\r\n')}\r\n\r\n`), bytes];
}

/** Returns a header with an idempotency key that no other request has. */
export function newKey(): string {
  return `Idempotency-Key: ${crypto.randomUUID()}`;
}

export const FORM = 'application/x-www-form-urlencoded';
export const JSON_BODY = 'application/json';

/** Sends the same request on several connections at once. */
export function request(title: string, chunks: () => Iterable<Uint8Array>, count: number, options: Options): Attack {
  const attack = { ...DEFAULTS, ...options, title };
  const leaving = attack.leaves ? { leaveAfterMs: attack.limitMs } : {};
  const run = ({ port }: Target) => Promise.all(Array.from({ length: count }, () => send(port, chunks(), leaving)));
  return { ...attack, run };
}

/** Sends a body that is created when the attack runs, on several connections at once. */
export function body(
  title: string,
  type: string,
  create: () => Uint8Array | string,
  options: Options = {},
  count = 1,
): Attack {
  return request(title, () => post(type, create()), count, { anyEngine: true, ...options });
}

export interface StatementOptions extends Options {
  /** Parameters besides the statement: arg1, arg1Type. */
  readonly params?: Params;
  /** Connections that send it at once. */
  readonly count?: number;
}

/** Runs a statement with a time limit of one second. */
export function statement(qry: string, options: StatementOptions = {}): Attack {
  const { params = {}, count = 1, ...rest } = options;
  return command({ cmd: 'qryfldexe', pageSize: '1', timeout: String(STATEMENT_LIMIT_MS), ...params, qry }, count, {
    limitMs: STATEMENT_LIMIT_MS,
    ...rest,
  });
}

/** Sends statements one after another, each on a separate connection. */
export function series(title: string, statements: readonly string[]): Attack {
  const run = async (target: Target): Promise<Exchange[]> => {
    const exchanges: Exchange[] = [];
    for (const qry of statements) exchanges.push(...(await statement(qry).run(target)));
    return exchanges;
  };
  return { ...DEFAULTS, title, limitMs: STATEMENT_LIMIT_MS, rounds: statements.length, run };
}

/** Parameters of a command. */
export type Params = Readonly<Record<string, string>>;

/** Sends commands one after another, and then the attack. */
export function after(title: string, before: readonly Params[], attack: Attack): Attack {
  return {
    ...attack,
    title,
    async run(target) {
      for (const params of before) await send(target.port, post(FORM, new URLSearchParams(params).toString()));
      return attack.run(target);
    },
  };
}

/** Returns the parameters of a statement that prepares an attack. */
export function sql(qry: string): Params {
  return { cmd: 'qryfldexe', pageSize: '1', timeout: '10000', qry };
}

/** Sends a command as a form. */
export function command(params: Params, count = 1, options: Options = {}): Attack {
  const shown = Object.entries(params).map(([name, value]) => `${name}=${shortened(value)}`);
  const title = `${shown.join(' ')}${count > 1 ? ` (${count} at once)` : ''}`;
  return request(title, () => post(FORM, new URLSearchParams(params).toString()), count, {
    limitMs: 1_000,
    ...options,
  });
}

function shortened(text: string): string {
  const line = text.replaceAll('\n', '\\n');
  return line.length > 100 ? `${line.slice(0, 60)}... (${text.length} characters)` : line;
}
