/**
 * Files with the keys of encrypted backups: age identities (age-encryption.org), one per line, as `age-keygen` writes
 * them. The first one encrypts; all of them decrypt, so a new key is placed before the old ones.
 */
import { readFileSync, statSync } from 'node:fs';
import { gridError } from '../../../base/errors.ts';

export interface BackupKeys {
  /** The file, for messages. */
  readonly file: string;
  /** The one that encrypts first. */
  readonly identities: readonly [string, ...string[]];
}

const IDENTITY = /^AGE-SECRET-KEY-(?:PQ-)?1[0-9A-Z]+$/;
/**
 * Permission bits that are rejected: access by others, and writing by the group. Orchestrators mount secrets for a
 * group to read.
 */
const TOO_OPEN = 0o027;

/** Returns the problem with a key file, or undefined. Whether its keys are valid shows when they are used. */
export function keyFileMistake(file: string): string | undefined {
  const read = readIdentities(file);
  return typeof read === 'string' ? read : undefined;
}

/** Reads a key file. Throws BACKUP_KEY_INVALID. */
export function readKeys(file: string): BackupKeys {
  const identities = readIdentities(file);
  if (typeof identities === 'string') throw gridError('BACKUP_KEY_INVALID', file, identities);
  return { file, identities };
}

/** Returns a file's keys, or the problem with it. No message contains a key. */
function readIdentities(file: string): BackupKeys['identities'] | string {
  let text: string;
  try {
    const { mode } = statSync(file);
    if (process.platform !== 'win32' && (mode & TOO_OPEN) !== 0) {
      return `other users can read or change it: run chmod 600 ${file}`;
    }
    text = readFileSync(file, 'utf8');
  } catch (error) {
    return error instanceof Error && 'code' in error ? `${file} cannot be read (${String(error.code)})` : String(error);
  }
  const lines = text.split('\n').map((line) => line.trim());
  const [first, ...others] = lines.filter((line) => line !== '' && !line.startsWith('#'));
  if (first === undefined) return 'it has no key: svc backup key --to FILE writes one';
  const wrong = lines.findIndex((line) => line !== '' && !line.startsWith('#') && !IDENTITY.test(line));
  if (wrong >= 0) return `line ${wrong + 1} is not a key of age (AGE-SECRET-KEY-1...)`;
  return [first, ...others];
}

/** Returns the contents of a file with a new key. */
export async function newKeyFile(nowMs: number): Promise<string> {
  const { generateX25519Identity } = await import('age-encryption');
  return `# created: ${new Date(nowMs).toISOString()}\n${await generateX25519Identity()}\n`;
}
