/** A user service over a set of names, for the tests of the user commands. */
import { fail } from '../../base/errors.ts';
import type { UserService } from '../context.ts';

/** Returns a service with one user, `taken`. */
export function userSet(): UserService {
  const names = new Set(['taken']);
  return {
    async check(_caller, { kind, name }) {
      if (kind === 'add' && name === '') throw fail('USER_OPERATION', 'User name is empty');
      if (kind === 'add' && names.has(name)) throw fail('USER_EXISTS', name);
      if (kind !== 'add' && !names.has(name)) throw fail('USER_NOT_FOUND', name);
    },
    async add(caller, name, password) {
      await this.check(caller, { kind: 'add', name, password });
      names.add(name);
    },
    async update(_caller, name) {
      if (!names.has(name)) throw fail('USER_NOT_FOUND', name);
    },
    async remove(_caller, name) {
      if (!names.delete(name)) throw fail('USER_NOT_FOUND', name);
    },
  };
}
