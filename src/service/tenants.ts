/** Whose share of limited resources a request uses. */
import type { Tenant } from '../base/shares.ts';
import type { Caller } from '../commands/context.ts';
import { networkTenant, type RawRequest } from './request.ts';

/**
 * Returns the tenant of a user or, if there is none, of the client's network. An API key uses its user's share, but not
 * the one reserved for administrators.
 */
export function tenantOf(
  caller: Pick<Caller, 'user' | 'key' | 'assigned'> | undefined,
  request: RawRequest,
  isAdministrator: ((user: string, assigned: readonly string[] | undefined) => boolean) | undefined,
): Tenant {
  const user = caller?.user ?? '';
  if (user === '') return networkTenant(request.peerNetwork());
  const mayBe = caller?.key === undefined;
  return { key: `user ${user}`, isAdministrator: mayBe && isAdministrator?.(user, caller?.assigned) === true };
}
