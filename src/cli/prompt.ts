/** Asks the user for a password, or for consent. */
import { interruptedError, usageError } from './failures.ts';
import type { Terminal } from './program.ts';

const ENTER = /[\r\n]/;
const BACKSPACES = new Set(['\u007f', '\b']);
const INTERRUPT = '\u0003';
const END = '\u0004';

/**
 * Reads a password: from the terminal without showing it, otherwise the first line of standard input. Throws
 * CommandLineError if there is none.
 */
export async function askPassword(
  question: string,
  { input, errors }: Pick<Terminal, 'input' | 'errors'>,
): Promise<string> {
  const isTerminal = input.isTTY === true && input.setRawMode !== undefined;
  if (isTerminal) {
    errors.write(question);
    input.setRawMode?.(true);
  }
  try {
    let password = '';
    reading: for await (const chunk of input) {
      for (const character of String(chunk)) {
        if (isTerminal && character === END) break reading;
        if (ENTER.test(character)) return password;
        if (isTerminal && character === INTERRUPT) throw interruptedError();
        if (isTerminal && BACKSPACES.has(character)) password = password.slice(0, -1);
        else password += character;
      }
    }
    if (password === '')
      throw usageError(isTerminal ? 'no password was typed' : 'no password: standard input is empty');
    return password;
  } finally {
    if (isTerminal) {
      input.setRawMode?.(false);
      errors.write('\n');
    }
  }
}

/** Asks a question whose answers are y, yes, n and no; returns undefined for anything else. Only for terminals. */
export async function askYesOrNo(question: string, { input, errors }: Terminal): Promise<boolean | undefined> {
  errors.write(`${question} [y/n] `);
  for await (const chunk of input) {
    const [, yes, no] = /^\s*(?:(y|yes)|(n|no))\s*$/i.exec(String(chunk)) ?? [];
    return yes !== undefined ? true : no !== undefined ? false : undefined;
  }
  return undefined;
}

/** Asks a question that is confirmed with Enter, y or yes. Only for terminals. */
export async function askConsent(question: string, { input, errors }: Terminal): Promise<boolean> {
  errors.write(`${question} [Y/n] `);
  for await (const chunk of input) return /^\s*(?:y|yes)?\s*$/i.test(String(chunk));
  return false;
}
