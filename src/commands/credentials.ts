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
  'Start a console session, which expires after `console.sessionTimeout` without use.',
  false,
);

export const userName = audited(requiredString('user', 'User name; case-sensitive.'), 'about');
export const oldPassword = optionalString(
  'oldPassword',
  'Your current password, required to change it unless the request itself logs in with name and password.',
);
export const password = requiredString('password', 'Password of the user.');
