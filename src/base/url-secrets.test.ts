import { expect, test } from 'bun:test';
import { withoutUrlSecrets } from './url-secrets.ts';

test.each([
  ['must be a URL, not "http://ann:pass@host:4318"', 'must be a URL, not "http://***@host:4318"'],
  ['not "http://ann:p/a?s#s@w@host/x"', 'not "http://***@host/x"'],
  [String.raw`not "http://ann:pa\"ss word@host"`, 'not "http://***@host"'],
  ['not "http://token@host"', 'not "http://***@host"'],
  ['not "ann:pass@host:10800"', 'not "***@host:10800"'],
  ['--url: ws://ann:pass@host is not an address', '--url: ws://***@host is not an address'],
  ['"https://host/keys?token=abc" is not a URL', '"https://host/keys?***" is not a URL'],
  ['line 1\nnot "//a:b@c"\n/path/x.ts: http.port: wrong', 'line 1\nnot "//***@c"\n/path/x.ts: http.port: wrong'],
  ['unchanged: such as http://localhost:8080/svc', 'unchanged: such as http://localhost:8080/svc'],
  ['svc.config.ts:2:11: http.port: must be 1, not "a@b"', 'svc.config.ts:2:11: http.port: must be 1, not "a@b"'],
])('%s', (text, expected) => expect(withoutUrlSecrets(text)).toBe(expected));
