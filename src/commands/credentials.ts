/** Parameters that name a user. */
import { audited, optionalText, type Parameter, requiredText } from './params.ts';

/** A parameter whose name begins with the service's own: `svc.` stands for it. */
function credential(name: 'login' | 'password', summary: string): Parameter<string | undefined> {
  return {
    ...optionalText(`svc.${name}`, summary),
    read: ({ params, serviceName }) => params.get(`${serviceName}.${name}`),
  };
}

/** What authenticate logs in with; the gate reads the same from every request. */
export const login = credential('login', 'Name of the user, unless the header `Authorization` carries it.');
export const loginPassword = credential('password', 'The password of the user.');

export const userName = audited(requiredText('user', 'Name of the user; letter case counts.'), 'about');
export const password = requiredText('password', 'The password.');
