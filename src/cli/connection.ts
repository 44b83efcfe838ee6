/** The options that select the service and the user for a subcommand. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { errorText } from '../base/errors.ts';
import { isLoopback } from '../http/ports.ts';
import { ServiceClient } from './client.ts';
import { dataFolderOf, namesFolder } from './data-folder.ts';
import { usageError } from './failures.ts';
import { type Login, readLogins, type StoredLogin } from './logins.ts';
import type { ClientProgram } from './program.ts';

/** Values of the options that {@link addConnectionOptions} declares. */
export interface ConnectionOptions {
  readonly url?: string;
  readonly user?: string;
  readonly passwordFile?: string;
  readonly ca?: string;
  readonly cert?: string;
  readonly certKey?: string;
  readonly insecure?: boolean;
}

/** Address of a service with the default settings. */
const DEFAULT_URL = 'http://localhost:8080/svc';

/** Declares the options with which a subcommand reaches a service; without --url if other options contain addresses. */
export function addConnectionOptions(command: Command, { withUrl = true } = {}): Command {
  if (withUrl) {
    command.option(
      '--url <url>',
      'address of the service, such as http://localhost:8080/svc, or of several that take over from each other, ' +
        'separated by commas (environment: SVC_URL)',
    );
  }
  return command
    .option('--user <name>', 'user; the password is asked for, or comes from SVC_PASSWORD or --password-file')
    .option('--password-file <file>', 'file that holds the password')
    .option('--ca <file>', 'PEM file of the certificate authorities that the service is verified against')
    .option('--cert <file>', 'PEM file of a client certificate')
    .option('--cert-key <file>', 'PEM file of the private key of the client certificate')
    .option('--insecure', 'accept any certificate of the service');
}

/**
 * Returns a client for the service that the options select: --url, SVC_URL, the default of `svc login`, or the service
 * running on this directory's data folder. Throws CommandLineError for invalid options.
 */
export async function connect(options: ConnectionOptions, program: ClientProgram): Promise<ServiceClient> {
  const { environment, cwd, interrupted } = program.terminal;
  const { url, idleFolder } = await targetOf(options.url, program);
  const apiKey = options.user === undefined ? environment.SVC_API_KEY || undefined : undefined;
  const { services } = readLogins(program.terminal);
  // A login for one of them is not permission to send it to the others.
  const known = services[url];
  const files = { ...known, ...pemFiles(options, cwd) };
  const usesStored = options.user === undefined && apiKey === undefined;
  const stored = usesStored && known !== undefined ? credentialsOf(known) : undefined;
  return new ServiceClient({
    url,
    idleFolder,
    login: stored ?? (await givenLogin(options, program)),
    apiKey,
    secretKey: environment.SVC_SECRET_KEY,
    clock: program.clock,
    tls: {
      ...(options.insecure === true && { rejectUnauthorized: false }),
      ...(files.ca !== undefined && { ca: readOptionFile('--ca', files.ca) }),
      ...(files.cert !== undefined && { cert: readOptionFile('--cert', files.cert) }),
      ...(files.key !== undefined && { key: readOptionFile('--cert-key', files.key) }),
    },
    interrupted,
  });
}

/** Returns the address that the options select, without a trailing slash. */
export async function targetUrl({ url }: Pick<ConnectionOptions, 'url'>, program: ClientProgram): Promise<string> {
  return (await targetOf(url, program)).url;
}

/** Where requests go. */
interface Target {
  readonly url: string;
  /** The data folder that the environment names, if no service runs on it. */
  readonly idleFolder: string | undefined;
}

async function targetOf(url: string | undefined, program: ClientProgram): Promise<Target> {
  const { terminal } = program;
  const given = url || terminal.environment.SVC_URL || readLogins(terminal).default;
  if (given !== undefined && given !== '') return { url: serviceUrl(given), idleFolder: undefined };
  const local = await localTarget(program);
  return { ...local, url: serviceUrl(local.url) };
}

/**
 * Returns the address of the service that this user runs on this directory's data folder, or the default. Requests
 * carry credentials, so another user's folder, or one from an archive, must not choose where they go.
 */
async function localTarget({ service, terminal }: ClientProgram): Promise<Target> {
  try {
    const folder = await dataFolderOf({}, terminal);
    const running = await service.running(folder);
    const idleFolder = running === undefined && namesFolder({}, terminal) ? folder : undefined;
    const host = URL.parse(running?.url ?? '')?.hostname.replace(/^\[|\]$/g, '');
    const isTrusted = running?.isOwn === true && host !== undefined && isLoopback(host);
    return { url: (isTrusted ? running.url : undefined) ?? DEFAULT_URL, idleFolder };
  } catch {
    // A service's configuration concerns a client only if it contains the address.
    return { url: DEFAULT_URL, idleFolder: undefined };
  }
}

/** Normalizes comma-separated addresses: with scheme and path. Throws CommandLineError. */
export function serviceUrl(text: string): string {
  return text
    .split(',')
    .map((each) => oneUrl(each.trim()))
    .join(',');
}

function oneUrl(text: string): string {
  const withScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const url = URL.parse(withScheme);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw usageError(`--url: ${text} is not an address such as http://localhost:8080/svc`);
  }
  if (url.username !== '' || url.password !== '') {
    throw usageError('--url: an address with a password would show it in process lists: use svc login or --user');
  }
  return `${url.origin}${url.pathname === '/' ? '/svc' : url.pathname.replace(/\/$/, '')}`;
}

/** Returns the absolute paths of the PEM files that the options name. */
export function pemFiles(
  { ca, cert, certKey: key }: ConnectionOptions,
  cwd: string,
): Pick<StoredLogin, 'ca' | 'cert' | 'key'> {
  return {
    ...(ca !== undefined && { ca: resolve(cwd, ca) }),
    ...(cert !== undefined && { cert: resolve(cwd, cert) }),
    ...(key !== undefined && { key: resolve(cwd, key) }),
  };
}

function credentialsOf({ user, password }: StoredLogin): Login {
  return { user, password };
}

/** Reads a file that an option names. Throws CommandLineError. */
export function readOptionFile(flag: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const isMissing = (error as { readonly code?: unknown }).code === 'ENOENT';
    const reason = errorText(error);
    throw usageError(`${flag}: ${isMissing ? `there is no file ${file}` : `cannot read ${file}: ${reason}`}`);
  }
}

async function givenLogin(
  { user, passwordFile }: ConnectionOptions,
  { terminal }: ClientProgram,
): Promise<Login | undefined> {
  if (user === undefined) {
    if (passwordFile !== undefined) throw usageError('--password-file: needs --user');
    return undefined;
  }
  if (passwordFile !== undefined) {
    const password = readOptionFile('--password-file', resolve(terminal.cwd, passwordFile)).replace(/\r?\n$/, '');
    return { user, password };
  }
  const { SVC_PASSWORD: password } = terminal.environment;
  if (password !== undefined && password !== '') return { user, password };
  const { askPassword } = await import('./prompt.ts');
  return { user, password: await askPassword(`Password of ${user}: `, terminal) };
}
