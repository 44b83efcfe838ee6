/** Signs requests where the service demands it, with a key that the user types and this tab keeps. */
import { signal } from '@preact/signals';

const STORED = 'svc.secretKey';

export const needsSignature = document.body.dataset.signature === 'true';
/** The secret key of the service; empty while it is not known. */
export const secretKey = signal(sessionStorage.getItem(STORED) ?? '');

let tried = '';

/** Signs requests with a key before it is kept; an empty one ends that. */
export function trySecretKey(key: string): void {
  tried = key;
}

export function keepSecretKey(key: string): void {
  if (key === '') sessionStorage.removeItem(STORED);
  else sessionStorage.setItem(STORED, key);
  secretKey.value = key;
}

/** Returns the header that signs a request, or none if none is needed. Throws Error outside of secure contexts. */
export async function signatureHeaders(): Promise<Readonly<Record<string, string>>> {
  if (!needsSignature) return {};
  // Browsers hide it from pages over plain HTTP, except those of this machine.
  const subtle: SubtleCrypto | undefined = crypto.subtle;
  if (subtle === undefined) throw new Error('Browsers sign requests only over HTTPS, or to localhost.');
  const time = Date.now();
  const hash = await subtle.digest('SHA-1', new TextEncoder().encode(`${time}:${tried || secretKey.peek()}`));
  return { 'X-Signature': `${time}:${btoa(String.fromCharCode(...new Uint8Array(hash)))}` };
}
