import { expect, test } from 'bun:test';
import { GO } from './go.ts';
import { JAVA } from './java.ts';
import { type Language, needsOf } from './program.ts';

/** Returns the statements of a request without parameters, and of one that uses members of its response. */
function callsOf(language: Language, params: Readonly<Record<string, unknown>>): string {
  const requests = [
    { cmd: 'a', params: {} },
    { cmd: 'b', params },
  ];
  return language.calls(requests, needsOf('http://localhost:8080/svc', requests, false));
}

test('Java formats a text with percent signs and several members', () => {
  const text = '{"cmd": "b", "rate": "5 %%", "id": "%s", "key": "%s"}';
  const members = 'member(first, "id"), member(first, "key")';
  expect(callsOf(JAVA, { rate: '5 %', id: '{id}', key: '{key}' })).toContain(`${text}""".formatted(${members})`);
});

test('Go divides a text at a member with the quotes that it has', () => {
  const member = '"id": "{id}"}';
  expect(callsOf(GO, { text: 'a', id: '{id}' })).toContain('"id": "` + member(first, "id") + `"}`');
  const quoted = JSON.stringify(member).slice(1).replace('{id}', '" + member(first, "id") + "');
  expect(callsOf(GO, { text: '`', id: '{id}' })).toContain(quoted);
});
