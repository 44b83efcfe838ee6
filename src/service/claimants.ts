/** Whose share of limited resources a request uses. */
import type { Claimant } from '../base/shares.ts';
import type { RawRequest } from './request.ts';

/** Returns the claimant of a user or, when `user` is empty, of the client's network. */
export function claimantOf(
  user: string,
  request: RawRequest,
  isAdministrator: ((user: string) => boolean) | undefined,
): Claimant {
  return user === ''
    ? { key: `network ${request.peerNetwork()}`, isAdministrator: false }
    : { key: `user ${user}`, isAdministrator: isAdministrator?.(user) ?? false };
}
