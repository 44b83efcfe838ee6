import { describe, expect, test } from 'bun:test';
import { preferredType } from './accept.ts';

const TYPES = ['application/json', 'application/x-ndjson', 'text/csv', 'text/event-stream'] as const;

describe('the media type that a header Accept prefers', () => {
  const CASES: ReadonlyArray<readonly [accept: string, expected: (typeof TYPES)[number] | undefined]> = [
    ['*/*', 'application/json'],
    ['', undefined],
    ['text/html', undefined],
    ['text/event-stream', 'text/event-stream'],
    ['Text/CSV; charset=utf-8', 'text/csv'],
    ['application/ndjson', 'application/x-ndjson'],
    ['text/*', 'text/csv'],
    ['text/csv, application/json', 'text/csv'],
    ['application/json, text/csv', 'application/json'],
    ['text/html, application/xhtml+xml, */*;q=0.8', 'application/json'],
    ['text/event-stream;q=0, application/x-ndjson', 'application/x-ndjson'],
    ['text/event-stream;q=0', undefined],
    ['text/event-stream;q=0.1, application/x-ndjson;q=0.2', 'application/x-ndjson'],
    ['application/json;q=0, */*', 'application/x-ndjson'],
    ['*/*, application/json;q=0', 'application/x-ndjson'],
    ['application/json;q=0.2, text/*;q=0.3, text/csv;q=0.1', 'text/event-stream'],
    ['text/csv;header=absent;q=0.5, application/json;q=0.4', 'text/csv'],
    ['text/csv;q=0.000, application/json;q=0.001', 'application/json'],
    ['text/csv;q=much, application/json;q=0.001', 'application/json'],
    ['text/csv ; q=0.5 , application/json ; q=0.7', 'application/json'],
    ['text/csv;Q=0, application/json', 'application/json'],
  ];
  for (const [accept, expected] of CASES) {
    test(JSON.stringify(accept), () => expect(preferredType(accept, TYPES)).toBe(expected));
  }
});
