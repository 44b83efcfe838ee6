/** Whose share of limited resources a request uses. */
import type { Claimant } from '../base/shares.ts';
import { networkClaimant, type RawRequest } from './request.ts';

/** Returns the claimant of a user or, when `user` is empty, of the client's network. */
export function claimantOf(
  user: string,
  request: RawRequest,
  isAdministrator: ((user: string) => boolean) | undefined,
): Claimant {
  if (user !== '') return { key: `user ${user}`, isAdministrator: isAdministrator?.(user) ?? false };
  return networkClaimant(request.peerNetwork());
}
