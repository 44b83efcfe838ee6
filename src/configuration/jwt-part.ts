/** Reads the options of JSON Web Tokens. */
import { isLoopback } from '../http/ports.ts';
import { isKeyUrl } from '../service/security/jwt/jwt-keys.ts';
import { JWT_ALGORITHMS, type JwtSettings } from '../service/security/jwt/jwt-settings.ts';
import { ConfigurationError } from './option.ts';
import type { OptionPath, OptionValues } from './options.ts';

/** Returns the settings, or undefined if tokens are not accepted. Throws ConfigurationError. */
export function jwtSettings(values: OptionValues): JwtSettings | undefined {
  const { 'jwt.keys': keys, 'jwt.issuer': issuer, 'jwt.audience': audiences, 'jwt.rolesClaim': rolesClaim } = values;
  const algorithms = values['jwt.algorithms'];
  if (keys === undefined) {
    if (issuer === undefined && audiences.length === 0 && rolesClaim === undefined) return undefined;
    throw wrong('jwt.keys', 'is missing: tokens are accepted only if their signatures can be verified');
  }
  if (!values.authentication) throw wrong('jwt.keys', 'needs authentication (SVC_AUTHENTICATION=true)');
  if (issuer === undefined) throw wrong('jwt.issuer', 'is required with jwt.keys');
  if (audiences.length === 0) {
    throw wrong('jwt.audience', 'is required with jwt.keys: tokens for other services would be accepted');
  }
  const unknown = algorithms.find((each) => !JWT_ALGORITHMS.includes(each));
  if (unknown !== undefined || algorithms.length === 0) {
    throw wrong('jwt.algorithms', `must be some of ${JWT_ALGORITHMS.join(', ')}${unknown ? `, not ${unknown}` : ''}`);
  }
  if (isKeyUrl(keys)) checkUrl(keys);
  const roles = rolesOf(values['jwt.roles']);
  if (roles.size > 0 !== (rolesClaim !== undefined)) {
    throw rolesClaim === undefined
      ? wrong('jwt.rolesClaim', 'is required with jwt.roles')
      : wrong('jwt.roles', 'is required with jwt.rolesClaim: without it, no value of the claim grants anything');
  }
  return {
    keys,
    issuer,
    audiences,
    algorithms,
    clockToleranceSeconds: values['jwt.clockToleranceSeconds'],
    userClaim: values['jwt.userClaim'],
    users: values['jwt.users'],
    rolesClaim,
    roles,
  };
}

/** Anyone who can change a key set in transit can create tokens. */
function checkUrl(keys: string): void {
  const url = URL.parse(keys);
  if (url === null) throw wrong('jwt.keys', `${keys} is not a URL`);
  if (url.username !== '' || url.password !== '') throw wrong('jwt.keys', 'must not contain credentials');
  if (url.protocol === 'http:' && !isLoopback(url.hostname.replace(/^\[|\]$/g, ''))) {
    throw wrong('jwt.keys', 'must begin with https:// unless the host is a loopback address');
  }
}

/** Parses `VALUE=ROLE`. A value can have several roles. */
function rolesOf(pairs: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const roles = new Map<string, readonly string[]>();
  for (const pair of pairs) {
    const at = pair.lastIndexOf('=');
    if (at <= 0 || at === pair.length - 1) throw wrong('jwt.roles', `must be VALUE=ROLE, not ${pair}`);
    const value = pair.slice(0, at);
    roles.set(value, [...(roles.get(value) ?? []), pair.slice(at + 1)]);
  }
  return roles;
}

function wrong(path: OptionPath, reason: string): ConfigurationError {
  return new ConfigurationError(`${path}: ${reason}`);
}
