import { afterAll, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Log } from '../service/monitoring/log.ts';
import { passwordInFile } from './generated-password.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-password-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function opened(name: string) {
  const messages: unknown[] = [];
  const write = (_message: string, fields?: unknown): void => void messages.push(fields);
  const log: Log = { debug: write, info: write, warn: write, error: write };
  const file = join(folder, name);
  return { file, messages, password: passwordInFile(file, log) };
}

test('the password is in the file before it is stored, and the log names the file', () => {
  const { file, messages, password } = opened('new');
  const created = password.create();
  expect(readFileSync(file, 'utf8')).toBe(`${created}\n`);
  password.tell('svc', created, true);
  expect(messages).toEqual([{ user: 'svc', file }]);
  expect(JSON.stringify(messages)).not.toContain(created);
});

test('the file goes when another service of the cluster has created the user with its own password', () => {
  const { file, messages, password } = opened('second');
  password.tell('svc', password.create(), false);
  expect(existsSync(file)).toBe(false);
  expect(messages).toEqual([]);
});

test('a file that an interrupted start has written stays, because its password may be the stored one', () => {
  const { file, password } = opened('interrupted');
  writeFileSync(file, 'of before\n');
  const created = password.create();
  expect(created).toBe('of before');
  password.tell('svc', created, false);
  expect(existsSync(file)).toBe(true);
});
