/** Attacks with many pipelined requests whose responses are never read or whose heads are expensive. */
import { type Attack, after, numbered, request } from './attack.ts';

const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const PUT_TEXT = [{ cmd: 'put', cacheName: 'fuzz', key: 'text', val: 'a'.repeat(1_000_000) }];
const PART_BYTES = 60_000;

/** Pipelines requests without reading the responses until the client leaves. */
function pipelined(title: string, target: string, lines: readonly string[], count: number): Attack {
  const text = `${[`GET ${target} HTTP/1.1`, 'Host: a', ...lines].join('\r\n')}\r\n\r\n`;
  const each = Math.max(1, Math.floor(PART_BYTES / text.length));
  const bytes = Buffer.from(text.repeat(each));
  return request(title, () => Array.from({ length: Math.ceil(count / each) }, () => bytes), 8, {
    leaves: true,
    limitMs: 3_000,
    anyEngine: true,
  });
}

export const HEAD_ATTACKS: readonly Attack[] = [
  pipelined('10,000 /openapi.json that are not read', '/openapi.json', ['Accept-Encoding: gzip'], 10_000),
  pipelined('10,000 /metrics', '/metrics', [], 10_000),
  ...['Accept-Encoding: identity', 'Accept-Encoding: gzip'].map((line) =>
    after(
      `10,000 gets of a long value, ${line}`,
      PUT_TEXT,
      pipelined('', '/svc?cmd=get&cacheName=fuzz&key=text', [line], 10_000),
    ),
  ),
  pipelined(
    'heads with 190 headers',
    '/svc?cmd=version',
    [...Array(190).keys()].map((at) => `X-${at}: a`),
    1_000,
  ),
  pipelined('heads with one long name', '/svc?cmd=version', [`${'X'.repeat(16_000)}: a`], 1_000),
  pipelined(
    'heads with a long list of forwarders',
    '/svc?cmd=version',
    [`X-Forwarded-For: ${'1.2.3.4,'.repeat(1_900)}1.2.3.4`, 'Forwarded: for=a'],
    1_000,
  ),
  pipelined('heads with a long Accept', '/svc?cmd=version', [`Accept: ${'a/b;q=0.1,'.repeat(1_500)}*/*`], 1_000),
  pipelined(
    'heads with long trace states',
    '/svc?cmd=version',
    [`traceparent: ${TRACE}`, `tracestate: ${'a=b,'.repeat(3_500)}c=d`],
    1_000,
  ),
  pipelined('queries with percent codes', `/svc?cmd=version&x=${'%41'.repeat(5_000)}`, [], 1_000),
  pipelined('queries with many parameters', `/svc?cmd=version${numbered(3_500, () => '&a=1')}`, [], 1_000),
  pipelined('long paths', `/console/${'../'.repeat(5_000)}a`, [], 1_000),
];
