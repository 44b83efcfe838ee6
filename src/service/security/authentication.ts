/** Authenticates requests by session token, credentials, API key, header or certificate, in Ignite's order. */
import type { RequestCompatibility } from '../../base/compatibility.ts';
import { GridError, gridError } from '../../base/errors.ts';
import { chain, type MaybePromise } from '../../base/maybe-promise.ts';
import type { Caller } from '../../commands/context.ts';
import { consoleSession as CONSOLE } from '../../commands/credentials.ts';
import type { Records } from '../../grid/grid.ts';
import {
  type AuthenticationCheck,
  type PreAuthentication,
  type RawRequest,
  type RequiredAccess,
  withoutCredentials,
} from '../request.ts';
import { findAccount } from './accounts.ts';
import { isApiKey } from './api-keys/api-key-records.ts';
import type { ApiKeys } from './api-keys/api-keys.ts';
import type { Authenticator } from './authenticator.ts';
import { isJwt, type JwtVerifier } from './jwt/jwt-verifier.ts';
import { isToken, type Session, type Sessions } from './sessions.ts';

export interface AuthenticationOptions {
  /** The prefix of the parameters: `<serviceName>.login`, `<serviceName>.password`. */
  readonly serviceName: string;
  readonly compatibility: RequestCompatibility;
  readonly records: Records;
  readonly sessions: Sessions;
  readonly apiKeys: Pick<ApiKeys, 'find' | 'cached'>;
  /** Verifies JSON Web Tokens; if undefined, a token in a header is not a credential. */
  readonly jwt?: Pick<JwtVerifier, 'find' | 'cached'> | undefined;
  readonly authenticator: Authenticator;
  /** Users by their client certificate's subject. */
  readonly certificateUsers: ReadonlyMap<string, string>;
}

interface Credentials {
  readonly name: string | undefined;
  readonly password: string | undefined;
}

/** Parameter names that clients of other services use for logins. */
const MISNAMED = /^(?:[\w-]+\.)?(login|user|user_?name|name|password|pass|pwd)$/i;

const NOBODY: Caller = Object.freeze({ user: '', token: null, subjectId: null });

/**
 * Creates the authentication. The first of these decides (docs/spec/ignite-cluster.md 7): an open command; the token
 * parameter; credentials (`<name>.login` and `<name>.password`, else `user` and `password`), which start a session; the
 * `Authorization` header with a token, an API key or credentials; a client certificate. `user` and `password` come last
 * for a command that has its own parameter `user`. An unknown token is an error even if valid credentials follow. For a
 * login, credentials take precedence over any token (docs/differences.md, row 62).
 */
export function createAuthentication(options: AuthenticationOptions): AuthenticationCheck {
  const { serviceName, compatibility, sessions, authenticator, records, certificateUsers, jwt } = options;
  const headerOf = (request: RawRequest) => readHeader(request.header('authorization'), jwt !== undefined);
  const { byToken, byBearer } = tokenReaders(options);
  const credentialsOf = credentialsReader(serviceName);

  async function byCredentials({ name, password }: Credentials, request: RawRequest): Promise<Caller> {
    const address = request.peerAddress();
    const account = await authenticator.check(name, password, address);
    const isConsole = request.params.get(CONSOLE.name) === 'true';
    return { ...callerOf(await sessions.open(account, address, isConsole)), byPassword: true };
  }

  /** A password in a header that was rejected before the body arrived is not verified again. */
  function byHeader(credentials: Credentials, request: RawRequest): MaybePromise<Caller> {
    const { preAuthentication } = request;
    if (preAuthentication === undefined) return byCredentials(credentials, request);
    return chain(preAuthentication, (preAuthentication) => {
      if (preAuthentication instanceof GridError) throw preAuthentication;
      return byCredentials(credentials, request);
    });
  }

  const isOpen = openReader(compatibility);

  return {
    confirmPassword: (caller, password, request) => confirmPassword(authenticator, caller, password, request),
    preAuthenticate(request, command) {
      if (command !== undefined && isOpen(command)) return 'unknown';
      const parameter = request.params.get('sessionToken');
      const isLogin = command?.needs === 'login';
      if (!isLogin && parameter !== undefined && isToken(parameter))
        return preAuthenticationBy(() => byToken(parameter));
      // Parameters take precedence over the header, and the body may contain the other half of them.
      if (credentialsOf(request, command) !== undefined) return 'unknown';
      const header = headerOf(request);
      if (typeof header === 'string') return isLogin ? 'unknown' : preAuthenticationBy(() => byBearer(header, request));
      if (header !== undefined) {
        return preAuthenticationBy(() => authenticator.check(header.name, header.password, request.peerAddress()));
      }
      const { certificateSubject } = request;
      return certificateSubject !== undefined && certificateUsers.has(certificateSubject) ? 'known' : 'unknown';
    },
    callerWithoutWaiting: callerReader(options, credentialsOf),
    authenticate(request, command) {
      if (isOpen(command)) return NOBODY;
      const token = request.params.get('sessionToken');
      const credentials = credentialsOf(request, command);
      const header = headerOf(request);
      const logsIn = command.needs === 'login' && (credentials !== undefined || typeof header === 'object');
      if (!logsIn && token !== undefined && isToken(token)) return byToken(token);
      if (header === undefined && (credentials === undefined ? command.needs === 'login' : isIncomplete(credentials)))
        checkNames(request, command, credentials, options);
      if (credentials !== undefined) return byCredentials(credentials, request);
      if (typeof header === 'string') return byBearer(header, request);
      if (header !== undefined) return byHeader(header, request);
      const { certificateSubject } = request;
      const user = certificateSubject === undefined ? undefined : certificateUsers.get(certificateSubject);
      if (user !== undefined) return byCertificate(records, user);
      const named = namedUser(request);
      if (named !== undefined) return byCredentials(named, request);
      if (token !== undefined && isApiKey(token)) throw gridError('API_KEY_AS_PARAMETER');
      throw command.needs === 'login' ? gridError('CREDENTIALS_WRONG', null) : withoutCredentials(request);
    },
  };
}

function byCertificate(records: AuthenticationOptions['records'], user: string): MaybePromise<Caller> {
  return chain(findAccount(records, user), (account) => {
    if (account === undefined) throw gridError('CREDENTIALS_WRONG', user);
    return { user: account.name, token: null, subjectId: account.id, assigned: account.roles };
  });
}

/** Rejects credentials that are incomplete, or in a misnamed parameter (docs/differences.md, row 37). */
function checkNames(
  { params, certificateSubject }: RawRequest,
  command: RequiredAccess,
  credentials: Credentials | undefined,
  { serviceName, compatibility }: AuthenticationOptions,
): void {
  // Row 37 of docs/differences.md.
  if (compatibility === 'reference' || certificateSubject !== undefined) return;
  const name = credentials?.name;
  const own = Object.values(command.params).map((parameter) => parameter.name);
  const right = [`${serviceName}.login`, `${serviceName}.password`];
  for (const given of params.keys()) {
    const [, word] = MISNAMED.exec(given) ?? [];
    if (word === undefined || right.includes(given) || own.includes(given)) continue;
    const isPassword = /^p/i.test(word);
    if ((isPassword ? credentials?.password : name) !== undefined) continue;
    throw gridError('CREDENTIALS_WRONG', name ?? null, given, `${serviceName}.${isPassword ? 'password' : 'login'}`);
  }
  if (credentials === undefined) return;
  const missing = name === undefined ? 'login' : 'password';
  throw gridError('CREDENTIALS_WRONG', name ?? null, undefined, `${serviceName}.${missing}`);
}

function isIncomplete({ name, password }: Credentials): boolean {
  return name === undefined || password === undefined;
}

async function confirmPassword(
  authenticator: Authenticator,
  caller: Caller,
  password: string,
  request: RawRequest,
): Promise<Caller> {
  try {
    await authenticator.check(caller.user, password, request.peerAddress());
  } catch (error) {
    throw error instanceof GridError && error.code === 'CREDENTIALS_WRONG' ? gridError('OLD_PASSWORD_WRONG') : error;
  }
  return { ...caller, byPassword: true };
}

/** Returns functions that find the owner of a session token, and of a token or an API key in a Bearer header. */
function tokenReaders({ sessions, apiKeys, jwt }: AuthenticationOptions) {
  const byToken = (token: string): MaybePromise<Caller> =>
    chain(sessions.find(token), (session) => {
      if (session === undefined) throw gridError('TOKEN_UNKNOWN', token.toUpperCase());
      return callerOf(session);
    });
  const byBearer = (text: string, request: RawRequest): MaybePromise<Caller> => {
    if (isToken(text)) return byToken(text);
    const addressOf = () => request.peerAddress();
    return jwt === undefined || isApiKey(text) ? apiKeys.find(text, addressOf) : jwt.find(text, addressOf);
  };
  return { byToken, byBearer };
}

/** Returns a function that reports whether a command needs no credentials. */
function openReader(compatibility: RequestCompatibility): (command: RequiredAccess) => boolean {
  return ({ needs, openedBy }) => needs === 'open' || openedBy === compatibility;
}

/** Returns a function that finds the sender of a request in this thread's caches. */
function callerReader(
  { sessions, apiKeys, jwt, certificateUsers }: AuthenticationOptions,
  credentialsOf: ReturnType<typeof credentialsReader>,
): AuthenticationCheck['callerWithoutWaiting'] {
  return (request) => {
    const parameter = request.params.get('sessionToken');
    if (parameter !== undefined && isToken(parameter)) return sessions.cached(parameter);
    if (credentialsOf(request, undefined) !== undefined) return undefined;
    const header = readHeader(request.header('authorization'), jwt !== undefined);
    if (typeof header === 'string') {
      if (isToken(header)) return sessions.cached(header);
      return isApiKey(header) ? apiKeys.cached(header) : jwt?.cached(header);
    }
    const { certificateSubject } = request;
    if (header !== undefined || certificateSubject === undefined) return undefined;
    const user = certificateUsers.get(certificateSubject);
    return user === undefined ? undefined : { user };
  };
}

function callerOf(session: Session): Caller {
  return { user: session.user, token: session.token, subjectId: session.userId, assigned: session.assigned };
}

/**
 * Returns a function that reads the credentials in a request's parameters. A command with a parameter `user` is about
 * that user, as its dry run may be: `user` and `password` are then not its sender's credentials.
 */
function credentialsReader(
  serviceName: string,
): (request: RawRequest, command: RequiredAccess | undefined) => Credentials | undefined {
  const loginName = `${serviceName}.login`;
  const passwordName = `${serviceName}.password`;
  return (request, command) => {
    const own = pair(request.params.get(loginName), request.params.get(passwordName));
    const isAboutUser = command !== undefined && ('user' in command.params || command.acceptsOthers === true);
    if (own !== undefined || isAboutUser) return own;
    return namedUser(request);
  };
}

function namedUser({ params }: RawRequest): Credentials | undefined {
  return pair(params.get('user'), params.get('password'));
}

function pair(name: string | undefined, password: string | undefined): Credentials | undefined {
  return name === undefined && password === undefined ? undefined : { name, password };
}

/** Returns the pre-authentication of credentials, checked by a function that throws if they are wrong. */
function preAuthenticationBy(check: () => MaybePromise<unknown>): MaybePromise<PreAuthentication> {
  // An unexpected error occurs again when the request is handled, and is reported there.
  const resultOf = (error: unknown) => (error instanceof GridError ? error : 'unknown');
  try {
    const checked = check();
    return checked instanceof Promise ? checked.then(() => 'known', resultOf) : 'known';
  } catch (error) {
    return resultOf(error);
  }
}

/**
 * Returns the token or API key of a Bearer header or the credentials of a Basic one, or undefined for anything else.
 * With `withJwt`, a JSON Web Token also counts as a token.
 */
export function readHeader(value: string | null, withJwt = false): string | Credentials | undefined {
  const [, scheme = '', text = ''] = /^\s*(bearer|basic)\s+(\S+)\s*$/i.exec(value ?? '') ?? [];
  if (scheme.toLowerCase() === 'bearer') return isBearer(text, withJwt) ? text : undefined;
  if (scheme === '') return undefined;
  const decoded = decodeBasic(text);
  const colon = decoded?.indexOf(':') ?? -1;
  if (decoded === undefined || colon < 0) return undefined;
  return { name: decoded.slice(0, colon), password: decoded.slice(colon + 1) };
}

function isBearer(text: string, withJwt: boolean): boolean {
  return isToken(text) || isApiKey(text) || (withJwt && isJwt(text));
}

function decodeBasic(text: string): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.fromBase64(text));
  } catch {
    return undefined;
  }
}
