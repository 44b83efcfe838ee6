/**
 * Entity tags (RFC 9110 8.8.3): equal representations have equal tags, so a request can name the value that it expects.
 */

const hash = new BigUint64Array(1);
const hashBytes = new DataView(hash.buffer);
const DIGITS = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_');
const tag = Buffer.from('"-----------"');

/**
 * Returns the tag of a representation, quoted as in headers: 64 bits of a fast hash. Tags protect against changes that
 * a client has not seen, not against a writer who searches for values with the same tag.
 */
export function entityTag(text: string): string {
  hash[0] = Bun.hash.xxHash3(text);
  let high = hashBytes.getUint32(0);
  let low = hashBytes.getUint32(4);
  // The same in base64url, quotes included, as one string; the runtime would keep a concatenation as two parts.
  for (let at = 1; at < tag.length - 1; at++) {
    tag[at] = DIGITS[high >>> 26] ?? 0;
    high = (high << 6) | (low >>> 26);
    low <<= 6;
  }
  return tag.toString('latin1');
}

const LISTED = /\s*(?:(W\/)?("[\x21\x23-\x7e\x80-\xff]*"))\s*(?:,|$)/y;

/**
 * Reports whether a list of tags, as in the headers If-Match and If-None-Match, contains a tag. Weak tags match only if
 * `weakly` is true. An invalid list contains none.
 */
export function listsTag(list: string, tag: string, weakly: boolean): boolean {
  LISTED.lastIndex = 0;
  for (let found = LISTED.exec(list); found !== null; found = LISTED.exec(list)) {
    if (found[2] === tag && (weakly || found[1] === undefined)) return true;
    if (LISTED.lastIndex >= list.length) break;
  }
  return false;
}
