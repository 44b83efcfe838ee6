/** Parameters with a user name or password. */
import { audited, flag, optionalString, type Parameter, requiredString } from './params.ts';

/** Returns a parameter whose name begins with the service name; declarations write it as `svc.`. */
function credential(name: 'login' | 'password', summary: string): Parameter<string | undefined> {
  return {
    ...optionalString(`svc.${name}`, summary),
    readsAbsent: true,
    read: ({ params, serviceName }) => params.get(`${serviceName}.${name}`),
  };
}

/** The credentials of authenticate; the request pipeline reads them from every request. */
export const login = credential('login', 'User name, unless the header `Authorization` contains it.');
export const loginPassword = credential('password', 'Password of the user.');

/** For `authenticate`; the request pipeline reads it. */
export const consoleSession = flag(
  'console',
  'Begin a session of the console, which expires when it is not used for `console.sessionTimeout`.',
  false,
);

export const userName = audited(requiredString('user', 'User name; case-sensitive.'), 'about');
export const oldPassword = optionalString(
  'oldPassword',
  'Current password of the sender, to change the own one. A request that logs in with name and password needs none.',
);
export const password = requiredString('password', 'Password of the user.');
