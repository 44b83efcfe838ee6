/** Whose running tasks a caller may see and end. */
import type { Tenant } from '../../base/shares.ts';
import { type Caller, ownerOf, type TaskReader } from '../context.ts';

/** Without authentication everybody may see and end all, as with statements. */
export function taskReaderOf(caller: Caller, { isAdministrator }: Pick<Tenant, 'isAdministrator'>): TaskReader {
  return { user: ownerOf(caller), readsAll: caller.user === '' || isAdministrator };
}
