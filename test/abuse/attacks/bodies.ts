/** Attacks with bytes: bodies that are expensive to decode, to keep, or to wait for. */
import { type Attack, body, FORM, JSON_BODY, post, request, times } from './attack.ts';
import { send } from './http-client.ts';

const MIB = 1024 * 1024;
const withPrefix = (prefix: string, text: string, bytes: number) => () =>
  Buffer.concat([Buffer.from(prefix, 'latin1'), times(text, Math.floor(bytes / text.length))]);
const enclosed = (before: string, text: string, bytes: number, after: string) => () =>
  Buffer.concat([Buffer.from(before), times(text, Math.floor(bytes / text.length)), Buffer.from(after)]);
const charset = (name: string) => `${FORM}; charset=${name}`;

/** Yields a request whose body consists of chunks of one size. */
function* chunked(chunkBytes: number, count: number, type = JSON_BODY): Generator<Uint8Array> {
  const head = `POST /svc HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n`;
  yield Buffer.from(head);
  const chunk = `${chunkBytes.toString(16)}\r\n${' '.repeat(chunkBytes)}\r\n`;
  const partSize = Math.min(count, 10_000);
  const part = times(chunk, partSize);
  for (let left = count; left > 0; left -= partSize) yield left >= partSize ? part : times(chunk, left);
  yield Buffer.from('0\r\n\r\n');
}

/** Opens connections that announce large bodies, send most of them, and stall until the client leaves. */
function stalled(count: number, bytes: number, leaveAfterMs: number): Attack {
  const head = `POST /svc HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${FORM}\r\nContent-Length: ${bytes}\r\n\r\n`;
  const most = times('a', bytes - MIB);
  return {
    title: `${count} bodies of ${Math.round(bytes / MIB)} MiB that stall before their last MiB`,
    run: ({ port }) =>
      Promise.all(Array.from({ length: count }, () => send(port, [Buffer.from(head), most], { leaveAfterMs }))),
    limitMs: leaveAfterMs + 2_000,
    anyEngine: true,
    leaves: true,
    rounds: 1,
  };
}

const IMPORT = '/svc?cmd=import&cacheName=default&onError=skip';

/** Sends a body to an import, which reads it while it arrives. */
function imported(title: string, type: string, create: () => Uint8Array): Attack {
  return request(`import of ${title}`, () => post(type, create(), IMPORT), 1, { anyEngine: true });
}

export const BODY_ATTACKS: readonly Attack[] = [
  imported('a line of 20 MB', 'text/csv', withPrefix('key,value\n', 'a', 20_000_000)),
  imported('20 MB of empty lines', 'text/csv', withPrefix('key,value\n', '\n', 20_000_000)),
  imported('20 MB of wrong quotes', 'text/csv', withPrefix('key,value\n', 'a,"b"c\n', 20_000_000)),
  imported('20 MB in one open quote', 'text/csv', withPrefix('key,value\n"', 'a\n', 20_000_000)),
  imported('20 MB of JSON texts that are no records', 'application/x-ndjson', withPrefix('', '[]\n', 20_000_000)),
  body('60 MB of 0xFF in a form', FORM, withPrefix('x=', '\xff', 60_000_000)),
  body('20 MB of 0xFF in the parameter cmd', FORM, withPrefix('cmd=', '\xff', 20_000_000)),
  body('percent codes in gbk', charset('gbk'), withPrefix('x=', '%41x', 20_000_000)),
  body('escape sequences of iso-2022-jp', charset('iso-2022-jp'), withPrefix('x=', '\x1b$B', 20_000_000)),
  body('20 MB of empty pairs', FORM, withPrefix('', '&', 20_000_000)),
  body('20 MB of percent codes', FORM, withPrefix('x=', '%c3%a9', 20_000_000)),
  body('20 MB of broken percent codes', FORM, withPrefix('x=', '%', 20_000_000)),
  body('2 million parameters', FORM, withPrefix('a=1', '&b=1', 8_000_000)),
  body('20 MB of one JSON text', JSON_BODY, enclosed('{"x":"', 'a', 20_000_000, '"}')),
  body('20 MB of escapes in a JSON text', JSON_BODY, enclosed('{"x":"', '\\u0041', 20_000_000, '"}')),
  body('20 MB of JSON objects', JSON_BODY, enclosed('{"x":[{}', ',{}', 20_000_000, ']}')),
  body('one JSON member two million times', JSON_BODY, enclosed('{"x":1', ',"x":1', 12_000_000, '}')),
  body('20 MB of blanks before JSON', JSON_BODY, enclosed('', ' ', 20_000_000, '{}')),
  body('a JSON number of 20 MB', JSON_BODY, enclosed('{"x":', '1', 20_000_000, '}')),
  body('a JSON body of opening brackets', JSON_BODY, withPrefix('', '[', 20_000_000)),
  body('20 MB of line feeds in broken JSON', JSON_BODY, withPrefix('{', '\n', 20_000_000)),
  request('9 MB in chunks of one byte', () => chunked(1, 1_500_000), 1, { anyEngine: true }),
  request('four bodies of 20 MB of 0xFF', () => [...postOf(20_000_000)], 4, { anyEngine: true, limitMs: 30_000 }),
  stalled(15, 64 * MIB, 3_000),
  stalled(60, 8 * MIB, 3_000),
];

function postOf(bytes: number): Uint8Array[] {
  const head = `POST /svc HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${FORM}\r\nContent-Length: ${bytes + 2}\r\n\r\nx=`;
  return [Buffer.from(head), times('\xff', bytes)];
}
