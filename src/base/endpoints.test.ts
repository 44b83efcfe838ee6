import { expect, test } from 'bun:test';
import { parseEndpoint } from './endpoints.ts';

const ENDPOINTS: ReadonlyArray<readonly [text: string, host: string, port: number]> = [
  ['host', 'host', 10_800],
  ['host:1', 'host', 1],
  [' 10.0.0.1:10801 ', '10.0.0.1', 10_801],
  ['[::1]:10900', '::1', 10_900],
  ['[fe80::1%eth0]', 'fe80::1%eth0', 10_800],
];
test.each(ENDPOINTS)('%p is %p port %p', (text, host, port) => expect(parseEndpoint(text)).toEqual({ host, port }));

test.each(['', ':1', 'host:', 'host:0', 'host:65536', 'host:x', '::1', 'a b', 'host:1:2'])(
  '%p is not an endpoint',
  (text) => expect(parseEndpoint(text)).toBeUndefined(),
);
