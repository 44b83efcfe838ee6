/** Stored logins: a user's file with mode 0600, which maps service addresses to credentials. */
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { platform } from 'node:os';
import { dirname, join } from 'node:path';
import { usageError } from './failures.ts';
import type { Terminal } from './program.ts';

export interface Login {
  readonly user: string;
  readonly password: string;
}

/** A service's credentials, and the PEM files for connecting to it: absolute paths. */
export interface StoredLogin extends Login {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

export interface Logins {
  /** Address to use if none is specified. */
  readonly default: string | undefined;
  /** Logins by address. */
  readonly services: Readonly<Record<string, StoredLogin>>;
}

const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;
const ACCESS_OF_OTHERS = 0o077;

/** Returns the path of the file with this user's logins. */
export function loginsFile({ environment, home }: Terminal): string {
  const folder = environment.XDG_CONFIG_HOME;
  return join(folder === undefined || folder === '' ? join(home, '.config') : folder, 'svc', 'logins.json');
}

/** Reads the stored logins. Throws CommandLineError if the file is damaged or others can read it. */
export function readLogins(terminal: Terminal): Logins {
  const file = loginsFile(terminal);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return { default: undefined, services: {} };
  }
  if (platform() !== 'win32' && (statSync(file).mode & ACCESS_OF_OTHERS) !== 0) {
    throw usageError(`${file}: other users can read the passwords in it: run chmod 600 ${file}`);
  }
  const logins = parsed(text);
  if (logins === undefined) throw usageError(`${file}: is damaged: remove it and log in again`);
  return logins;
}

function parsed(text: string): Logins | undefined {
  try {
    const content: unknown = JSON.parse(text);
    if (!isRecord(content) || !isRecord(content.services)) return undefined;
    const services: Record<string, StoredLogin> = {};
    for (const [url, login] of Object.entries(content.services)) {
      if (!isRecord(login) || typeof login.user !== 'string' || typeof login.password !== 'string') return undefined;
      const { user, password, ca, cert, key } = login;
      services[url] = { user, password, ...pathOf('ca', ca), ...pathOf('cert', cert), ...pathOf('key', key) };
    }
    return { default: typeof content.default === 'string' ? content.default : undefined, services };
  } catch {
    return undefined;
  }
}

function pathOf<N extends string>(name: N, path: unknown): { readonly [M in N]?: string } {
  return typeof path === 'string' ? ({ [name]: path } as { readonly [M in N]: string }) : {};
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Replaces the stored logins. A new file replaces the old one, so a crash leaves one of them intact. */
export function writeLogins(logins: Logins, terminal: Terminal): void {
  const file = loginsFile(terminal);
  mkdirSync(dirname(file), { recursive: true, mode: PRIVATE_FOLDER });
  const next = `${file}.new`;
  rmSync(next, { force: true });
  writeFileSync(next, `${JSON.stringify(logins, undefined, 2)}\n`, { mode: PRIVATE_FILE, flag: 'wx' });
  renameSync(next, file);
}
