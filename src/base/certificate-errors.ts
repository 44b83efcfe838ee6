/** Errors from certificates that a client cannot verify. */

const UNVERIFIED = /CERT|LEAF_SIGNATURE/;

/**
 * Returns the remedy for a certificate error code, or undefined for other errors. `trust` says
 * how to trust the authority.
 */
export function certificateAdvice(code: string, trust: string): string | undefined {
  if (!UNVERIFIED.test(code)) return undefined;
  if (code.includes('ALTNAME')) return 'use a host name that it contains';
  if (code.includes('EXPIRED')) return 'it has to be renewed';
  if (code.includes('NOT_YET_VALID')) return 'compare the clocks of both machines';
  return trust;
}
