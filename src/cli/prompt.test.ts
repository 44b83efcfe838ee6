import { expect, test } from 'bun:test';
import { PassThrough, Readable } from 'node:stream';
import { askPassword } from './prompt.ts';

/** Asks at a terminal on which the keys are pressed. */
function typed(keys: string): Promise<string> {
  const input = Object.assign(Readable.from([keys]), { isTTY: true, setRawMode() {} });
  return askPassword('Password: ', { input, errors: new PassThrough() });
}

test('a password ends with Enter, and with Ctrl-D', async () => {
  expect(await typed('secret\r')).toBe('secret');
  expect(await typed('secrt\u007fet\n')).toBe('secret');
  expect(await typed('secret\u0004')).toBe('secret');
});

test('Ctrl-D alone is none, and Ctrl-C interrupts', async () => {
  await expect(typed('\u0004')).rejects.toThrow('no password was typed');
  await expect(typed('a\u0003')).rejects.toThrow('interrupted');
});
