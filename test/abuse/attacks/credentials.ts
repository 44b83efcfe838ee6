/** Attacks with credentials, and with headers by which a request is remembered. */
import { type Attack, body, FORM, JSON_BODY, times } from './attack.ts';
import { type Exchange, send } from './http-client.ts';

const CONNECTIONS = 32;
const REQUESTS = 100;
/** Passwords that each connection guesses: checking one takes up to 120 ms of a slow processor. */
const PASSWORDS = 10;
/** Time for all of the requests: password checks are queued, and those that would wait too long are rejected. */
const LIMIT_MS = 30_000;

/** Sends pipelined requests, each with another header, on several connections at once. */
function flood(title: string, line: (number: number) => string, query = 'cmd=version', count = REQUESTS): Attack {
  const request = (number: number) =>
    Buffer.from(`GET /svc?${query} HTTP/1.1\r\nHost: localhost\r\n${line(number)}\r\n\r\n`);
  const run = ({ port }: { readonly port: number }): Promise<Exchange[]> =>
    Promise.all(
      Array.from({ length: CONNECTIONS }, (_, connection) => {
        const requests = Array.from({ length: count }, (_each, at) => request(connection * count + at));
        return send(port, requests, { answers: count });
      }),
    );
  return { title, run, limitMs: LIMIT_MS, anyEngine: true, leaves: false, rounds: 1 };
}

const numbered = (number: number, length: number): string => String(number).padStart(length, '0');
const basic = (number: number): string => btoa(`svc:guess-${number}`);
const signed = (header: object, number: number): string =>
  `${btoa(JSON.stringify(header)).replaceAll('=', '')}.${btoa(`{"sub":"${number}"}`).replaceAll('=', '')}.AAAA`;

export const CREDENTIAL_ATTACKS: readonly Attack[] = [
  flood('guesses of session tokens', (number) => `Authorization: Bearer ${numbered(number, 32)}`),
  flood('guesses of API keys', (number) => `Authorization: Bearer svck_${numbered(number, 16)}_${'A'.repeat(43)}`),
  flood('guesses of passwords', (number) => `Authorization: Basic ${basic(number)}`, 'cmd=version', PASSWORDS),
  flood(
    'guesses of passwords of many users',
    (number) => `Authorization: Basic ${btoa(`user-${number}:guess`)}`,
    'cmd=version',
    PASSWORDS,
  ),
  flood('JSON Web Tokens without a signature', (number) => `Authorization: Bearer ${signed({ alg: 'none' }, number)}`),
  flood(
    'JSON Web Tokens of unknown keys',
    (number) => `Authorization: Bearer ${signed({ alg: 'RS256', kid: `${number}` }, number)}`,
  ),
  flood('long bearer tokens', (number) => `Authorization: Bearer ${numbered(number, 8_000)}`),
  flood('puts with new idempotency keys', (number) => `Idempotency-Key: key-${number}`, 'cmd=put&key=a&val=1'),
  flood('long idempotency keys', (number) => `Idempotency-Key: ${numbered(number, 8_000)}`, 'cmd=put&key=a&val=1'),
  flood('unknown Prefer headers', (number) => `Prefer: ${'numbers;'.repeat(900)}${number}`),
  flood('long lists of encodings', (number) => `Accept-Encoding: ${'gzip;q=0.1,'.repeat(700)}x-${number}`, 'cmd=top'),
  body('a batch of 20 MB', JSON_BODY, () =>
    Buffer.concat([
      Buffer.from('{"cmd":"batch","commands":[{"cmd":"noop"}'),
      times(',{"cmd":"noop"}', 1_400_000),
      Buffer.from(']}'),
    ]),
  ),
  body('an atomic batch with a value of 20 MB', FORM, () =>
    Buffer.concat([
      Buffer.from('cmd=batch&atomic=true&commands=[{"cmd":"put","key":"a","val":"'),
      times('a', 20_000_000),
      Buffer.from('"}]'),
    ]),
  ),
];
