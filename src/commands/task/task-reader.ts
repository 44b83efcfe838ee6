/** Whose running tasks a caller may see and end. */
import type { Context, TaskReader } from '../context.ts';

/** Without authentication, everyone may see and end all of them, as with statements. */
export function taskReaderOf({ caller, owner, tenant }: Pick<Context, 'caller' | 'owner' | 'tenant'>): TaskReader {
  return { user: owner, readsAll: caller.user === '' || tenant().isAdministrator };
}
