/** The canonical subjects of certificates, and of the users that a configuration maps them to. */
import type { X509Certificate } from 'node:crypto';
import { canonicalName, parseName } from './distinguished-name.ts';

/**
 * Returns a certificate's canonical subject, or undefined if it has none. The runtime writes each relative name on a
 * separate line, with the escapes of RFC 4514. Throws {@link NameError}.
 */
export function certificateSubject({ subject }: Pick<X509Certificate, 'subject'>): string | undefined {
  // The runtime's types omit that a certificate may have no subject.
  const text: string | undefined = subject;
  if (text === undefined || text === '') return undefined;
  return canonicalName(text.split('\n').flatMap((line) => parseName(line, { isPrinted: true })));
}

/** Returns the canonical form of a subject written by an operator. Throws {@link NameError}. */
export function configuredSubject(text: string): string {
  return canonicalName(parseName(text));
}
