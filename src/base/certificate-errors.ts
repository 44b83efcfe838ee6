/** Errors of certificates that a client cannot verify. */

const UNVERIFIED = /CERT|LEAF_SIGNATURE/;

/**
 * Returns what to do about a certificate by the code of the error that it caused; undefined for other errors. `trust`
 * says how its authority becomes trusted.
 */
export function certificateAdvice(code: string, trust: string): string | undefined {
  if (!UNVERIFIED.test(code)) return undefined;
  if (code.includes('ALTNAME')) return 'use a host name that it contains';
  if (code.includes('EXPIRED')) return 'it has to be renewed';
  if (code.includes('NOT_YET_VALID')) return 'compare the clocks of both machines';
  return trust;
}
