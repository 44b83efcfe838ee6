/** Errors of credentials, permissions, users, roles and API keys. */
import { defineErrors, defineTexts, type Text } from './error-entry.ts';

export const SECURITY_ERRORS = defineErrors({
  TOKEN_MISSING: {
    status: 2,
    http: 401,
    text: () => 'Failed to handle request - session token not found or invalid',
    cause: 'Authentication is on, and the request has neither a session token nor credentials.',
    remedy: 'Send sessionToken, or credentials, such as the header Authorization (curl -u NAME:PASSWORD).',
  },
  TOKEN_UNKNOWN: {
    http: 401,
    text: (token: string) =>
      `Failed to handle request - unknown session token (maybe expired session) [sesTok=${token}]`,
    cause: 'The session has expired, was ended, or never existed.',
    remedy: 'Log in again with authenticate.',
  },
  CREDENTIALS_WRONG: {
    status: 2,
    http: 401,
    /** `given`: a parameter that does not belong to a login; `meant`: the missing one. */
    text: (user: string | null, given?: string, meant?: string) => {
      const wrong = `The user name or password is incorrect [userName=${user}]`;
      if (meant === undefined) return wrong;
      if (given === undefined) return `${wrong}: the parameter ${meant} is missing`;
      return `${wrong}: the parameter ${given} is unknown, did you mean ${meant}?`;
    },
    cause: 'There is no such user, the password is wrong, or the parameters are misnamed.',
    remedy: 'Send the correct name and password.',
  },
  TOO_MANY_ATTEMPTS: {
    status: 2,
    http: 429,
    text: (seconds: Text) => `Too many failed attempts to log in, try again in ${seconds} s`,
    cause: 'There were too many wrong passwords for this user or from this network.',
    remedy: 'Wait for the time in the text.',
  },
  PERMISSION_DENIED: {
    status: 3,
    http: 403,
    text: (user: string, missing: string, key?: string) =>
      `Authorization failed [user=${user}, missing=${missing}${key === undefined ? '' : ` in the scope of the API key ${key}`}]`,
    cause: 'No role of the user, or not the scope of the API key, has the permission that the text names.',
    remedy: 'Ask an administrator for a role with the missing permission.',
    specificRemedy: (_user: string, _missing: string, key?: string) =>
      key === undefined
        ? undefined
        : 'Use an API key whose scope has it: apikeyadd creates one. Roles do not extend a scope.',
  },
  /** The same text for all reasons, so it does not reveal which ids exist. */
  API_KEY_UNKNOWN: {
    status: 2,
    http: 401,
    text: (id: string) => `The API key is unknown, expired or revoked [id=${id}]`,
    cause: 'No API key has this id and this secret, or the key has expired, or was removed.',
    remedy: 'Send a current key. apikeylist shows the keys, and apikeyrotate replaces the secret of one.',
  },
  JWT_INVALID: {
    status: 2,
    http: 401,
    text: (reason: string) => `The JSON Web Token is not accepted: ${reason}`,
    cause:
      'The signature, issuer, audience, times or user of the token do not meet the requirements of the ' +
      'configuration.',
    remedy: 'Get a new token from the identity provider, for the audience of this service.',
  },
  JWT_KEYS_UNAVAILABLE: {
    http: 503,
    text: () => 'The keys to verify JSON Web Tokens are not available',
    cause: 'The keys of `jwt.keys` could not be loaded.',
    remedy: 'Try again later. The log of the service says why the keys of jwt.keys could not be loaded.',
  },
  SIGNATURE_WRONG: {
    status: 3,
    http: 401,
    httpAlways: true,
    text: (reason: string) => `Failed to handle request - security check failed: ${reason}`,
    cause: 'The service has a secret key, and the header X-Signature is missing, wrong or too old.',
    remedy: 'Send X-Signature: TIMESTAMP:BASE64(SHA1(TIMESTAMP:KEY)).',
  },
  ORIGIN_FORBIDDEN: {
    status: 3,
    http: 403,
    text: (what: string, option: string) =>
      `Failed to handle request - rejected because it comes from another site: ${what} (allow it with ${option})`,
    cause: "A web page from another site sent the request, or the request names a host that is not the service's.",
    remedy: 'Add the origin or host to the configuration (http.origins, http.hosts).',
  },
  SECURITY_DISABLED: {
    http: 400,
    wrap: 'always',
    text: () => 'Operation cannot be performed: security disabled.',
    cause: 'The command manages users or keys, and authentication is off.',
    remedy: 'Start the service with SVC_AUTHENTICATION=true.',
  },
  USER_OPERATION: {
    http: 400,
    wrap: 'always',
    text: (text: string) => text,
    cause: 'The name or the password is not allowed, or the user is not permitted to do this.',
    remedy: 'Correct what the text names.',
  },
  OLD_PASSWORD_WRONG: {
    http: 403,
    wrap: 'always',
    text: () => 'The old password is wrong',
    cause: "The request changes its own user's password, and the old password is missing or wrong.",
    remedy: 'Send the current password as oldPassword. If it is lost, ask an administrator for a new one.',
  },
  USER_EXISTS: {
    http: 409,
    wrap: 'always',
    text: (name: string) => `User already exists [login=${name}]`,
    cause: 'A user with this name already exists.',
    remedy: 'Choose another name, or change the password of the user with updateuser.',
  },
  API_KEY_INVALID: {
    http: 400,
    text: (reason: string) => `The API key cannot be created or changed: ${reason}`,
    cause: 'A parameter of the key is invalid, or the key would have rights that its user lacks.',
    remedy: 'Correct the parameter that the text names.',
  },
  API_KEY_EXISTS: {
    http: 409,
    text: (user: string, name: string) => `The user already has an API key with this name [user=${user}, name=${name}]`,
    cause: 'The user already has a key with this name.',
    remedy: 'Choose another name, or replace the secret of the key with apikeyrotate.',
  },
  API_KEY_NOT_FOUND: {
    http: 404,
    text: (id: string) => `There is no API key with this id [id=${id}]`,
    cause: 'No API key has this id, or it belongs to another user.',
    remedy: 'Use an id from apikeylist. Only administrators may change the keys of other users.',
  },
  ROLE_INVALID: {
    http: 400,
    text: (reason: string) => `The role cannot be stored or assigned: ${reason}`,
    cause: 'The name or the rights of a role are invalid, or a user would get too many roles.',
    remedy: 'Correct what the text names.',
  },
  ROLE_EXISTS: {
    http: 409,
    text: (name: string) => `A role with this name already exists [role=${name}]`,
    cause: 'A stored role, a role in the configuration or a built-in role already has this name.',
    remedy: 'Choose another name, or change the stored role with roleupdate.',
  },
  ROLE_NOT_FOUND: {
    http: 404,
    text: (name: string) => `There is no role with this name [role=${name}]`,
    cause: 'No role has this name.',
    remedy: 'Use a name from rolelist. Names are case-sensitive.',
  },
  ROLE_READ_ONLY: {
    http: 409,
    text: (name: string) => `The role is built in or defined in the configuration file [role=${name}]`,
    cause: 'Commands can change only roles that were stored by commands.',
    remedy: 'Change permissions.roles in the configuration file, or store a role with another name.',
  },
  USER_ROLES_READ_ONLY: {
    http: 409,
    text: (user: string) => `The configuration file assigns the roles of this user [user=${user}]`,
    cause: 'The user is the default user, or permissions.users names the user.',
    remedy: 'Change permissions.users in the configuration file.',
  },
  ROLE_IN_USE: {
    http: 409,
    text: (name: string, users: readonly string[], count: number) =>
      `The role is assigned to ${count === 1 ? 'a user' : `${count} users`} [role=${name}, users=${users.join(', ')}` +
      `${count > users.length ? ', ...' : ''}]`,
    cause: 'Removing the role would change the rights of its users.',
    remedy: 'Assign other roles to these users with roleassign first.',
  },
  ROLE_ESCALATION: {
    status: 3,
    http: 403,
    text: (name: string, user: string) =>
      `No role of this user includes all rights of this role [role=${name}, user=${user}]`,
    cause: 'Users cannot grant, change or take away rights that no single one of their roles has.',
    remedy: 'Ask a user with a role that includes these rights, such as the role admin.',
  },
  ROLE_LOCKOUT: {
    http: 409,
    text: (user: string) => `After this change, you could no longer manage users [user=${user}]`,
    cause: 'The change would take the administration right `users` away from the user who makes it.',
    remedy: 'Ask another administrator to make the change.',
  },
  ROLE_LIMIT: {
    http: 409,
    text: (limit: Text) => `Too many stored roles [limit=${limit}]`,
    cause: 'The maximum number of stored roles has been reached.',
    remedy: 'Remove roles with rolermv.',
  },
  SESSION_NOT_FOUND: {
    http: 404,
    text: (id: string) => `There is no session with this id [id=${id}]`,
    cause: 'No session has this id, it has ended, or it belongs to another user.',
    remedy: 'Use an id from sessionlist. Only administrators may end the sessions of other users.',
  },
  API_KEY_LIMIT: {
    http: 409,
    text: (whose: string, limit: Text) => `Too many API keys for ${whose} [limit=${limit}]`,
    cause: 'The user, or all users together, have as many keys as the limit allows.',
    remedy: 'Remove keys with apikeyrmv, or raise limits.apiKeys or limits.apiKeysPerUser.',
  },
  USER_NOT_FOUND: {
    http: 404,
    wrap: 'always',
    text: (name: string) => `User doesn't exist [userName=${name}]`,
    cause: 'There is no user with this name.',
    remedy:
      'Add the user with adduser. Names are case-sensitive, and a statement turns one without double quotes into upper ' +
      'case: write ALTER USER "ann".',
  },
});

/** Texts of errors that share their code with others. */
export const USER_TEXTS = defineTexts({
  USER_NAME_EMPTY: { code: 'USER_OPERATION', text: () => 'User name is empty' },
  /** The spelling "less then" is Ignite's. */
  USER_NAME_TOO_LONG: {
    code: 'USER_OPERATION',
    text: (limit: number) => `User name is too long. The user name length must be less then ${limit} bytes in UTF8`,
  },
  USER_NAME_CHARACTER: {
    code: 'USER_OPERATION',
    text: (name: string) => `User name has a character that is not allowed [login=${name}]`,
  },
  USER_NAME_FORBIDDEN: {
    code: 'USER_OPERATION',
    text: (name: string) =>
      'User name must not begin with jwt: or contain #, control characters, invisible characters, or those that look ' +
      `like others, such as full-width forms and separate accents [login=${name}]`,
  },
  ROLES_MISSING: {
    code: 'PERMISSION_DENIED',
    text: (user: string, missing: string) =>
      `Authorization failed [user=${user}, missing=${missing}]: the user has no roles yet`,
    specificRemedy: (user: string) =>
      `Ask a user manager to assign roles: cmd=roleassign&user=${user}&roles=..., or roles= of adduser.`,
  },
  OLD_PASSWORD_MISSING: {
    code: 'OLD_PASSWORD_WRONG',
    text: () =>
      'To change your own password, send the old one as oldPassword of updateuser, or log in with the request ' +
      'itself',
  },
  PASSWORD_EMPTY: { code: 'USER_OPERATION', text: () => 'Password is empty' },
  PASSWORD_TOO_LONG: {
    code: 'USER_OPERATION',
    text: (limit: number) => `Password is too long. It can have at most ${limit} characters`,
  },
  PASSWORD_TOO_SHORT: {
    code: 'USER_OPERATION',
    text: (minimum: number) =>
      `Password is too short. It needs at least ${minimum} characters (login.minimumPasswordLength)`,
  },
  DEFAULT_USER_KEPT: { code: 'USER_OPERATION', text: () => 'Default user cannot be removed.' },
  USER_MANAGEMENT_FORBIDDEN: {
    code: 'USER_OPERATION',
    text: (user: string | null, _about?: string) =>
      `User management operations are not allowed for user. [curUser=${user}]`,
    specificRemedy: (user: string | null, about?: string) =>
      user !== about && user?.toUpperCase() === about
        ? `Names are case-sensitive, and a statement turns one without double quotes into upper case: write "${user}".`
        : undefined,
  },
  API_KEY_AS_PARAMETER: {
    code: 'TOKEN_MISSING',
    text: () =>
      'Failed to handle request - session token not found or invalid: an API key belongs in the header ' +
      'Authorization: Bearer KEY, because addresses are logged',
  },
  BEARER_UNKNOWN: {
    code: 'TOKEN_MISSING',
    text: () =>
      'Failed to handle request - the header Authorization: Bearer has neither an API key (svck_ID_SECRET, as apikeyadd ' +
      'returned it) nor a session token (authenticate)',
    specificRemedy: () =>
      'Send the whole API key: apikeylist shows those that there are, and apikeyrotate replaces one.',
  },
  BEARER_ABSENT: {
    code: 'TOKEN_MISSING',
    text: () => 'Failed to handle request - the header Authorization has an API key without Bearer in front of it',
    specificRemedy: () => 'Send the header Authorization: Bearer KEY.',
  },
  /** The credentials may be in the part that was not read, so the text says why it was not. */
  TOKEN_MISSING_UNREAD: {
    code: 'TOKEN_MISSING',
    text: (reason: string) => `Failed to handle request - session token not found or invalid. ${reason}`,
  },
  /** Without the statement, which may contain a password. */
  USER_STATEMENT_SYNTAX: {
    code: 'SQL',
    text: (form: string) => `Syntax error in SQL statement, expected: ${form}`,
  },
});
