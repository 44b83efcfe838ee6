/** Where the random password of a new store's default user goes: standard output, or a file. */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { randomBytes } from '../base/clock.ts';
import { errorText } from '../base/errors.ts';
import { textIfThere } from '../base/missing-files.ts';
import { ConfigurationError } from '../configuration/option.ts';
import type { Log } from '../service/monitoring/log.ts';
import type { GeneratedPassword } from '../service/security/users.ts';
import { print } from './standard-output.ts';

const randomPassword = (): string => randomBytes(18).toBase64({ alphabet: 'base64url' });

/** Prints the password once. */
export function printedPassword(): GeneratedPassword {
  return {
    create: randomPassword,
    tell(user, password, isAdded) {
      if (isAdded) void print(`password of the user ${user}: ${password}\n`);
    },
  };
}

/**
 * Writes the password to a file before it is stored, so that an interrupted startup does not lose it: the next one
 * finds the file and uses its password. `create` throws ConfigurationError if the file cannot be read or written.
 */
export function passwordInFile(file: string, log: Log): GeneratedPassword {
  let isWritten = false;
  return {
    create() {
      const kept = attempt(file, () => readPassword(file));
      if (kept !== undefined) return kept;
      const password = randomPassword();
      attempt(file, () => writePassword(file, password));
      isWritten = true;
      return password;
    },
    tell(user, _password, isAdded) {
      if (isAdded) log.info('The password of the first user is in a file', { user, file });
      // Another of the cluster's services was first, so its password counts.
      else if (isWritten) rmSync(file, { force: true });
    },
  };
}

function readPassword(file: string): string | undefined {
  const password = textIfThere(file)?.replace(/\r?\n$/, '');
  if (password === '') throw new Error('it is empty; remove it, or write a password to it');
  return password;
}

function writePassword(file: string, password: string): void {
  const partial = `${file}.new`;
  rmSync(partial, { force: true });
  writeFileSync(partial, `${password}\n`, { mode: 0o600, flag: 'wx', flush: true });
  renameSync(partial, file);
}

function attempt<T>(file: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    const reason = errorText(error);
    throw new ConfigurationError(`generatedPasswordFile: ${file} cannot be used: ${reason}`, { cause: error });
  }
}
