/** Encrypts passwords in records that others can read, with a key that only the services share. */
import crypto from 'node:crypto';
import { randomBytes } from '../../base/clock.ts';

/** Sizes as defined for AES-256-GCM in NIST SP 800-38D: a 256-bit key, a 96-bit nonce and a 128-bit tag. */
const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const PURPOSE = 'credentials of sessions';

export class PasswordCipher {
  readonly #key: Buffer;

  /** Services with the same secret can decrypt each other's passwords. */
  constructor(secret: string) {
    this.#key = Buffer.from(crypto.hkdfSync('sha256', secret, '', PURPOSE, KEY_BYTES));
  }

  /** Returns nonce, tag and cipher text in Base64. */
  encrypt(text: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = crypto.createCipheriv(CIPHER, this.#key, nonce);
    const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64');
  }

  /** Returns the plain text, or undefined if it was encrypted with another secret or is damaged. */
  decrypt(encrypted: string): string | undefined {
    const bytes = Buffer.from(encrypted, 'base64');
    const tagEnd = NONCE_BYTES + TAG_BYTES;
    if (bytes.length < tagEnd) return undefined;
    try {
      const decipher = crypto.createDecipheriv(CIPHER, this.#key, bytes.subarray(0, NONCE_BYTES));
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, tagEnd));
      return decipher.update(bytes.subarray(tagEnd), undefined, 'utf8') + decipher.final('utf8');
    } catch {
      return undefined;
    }
  }
}
