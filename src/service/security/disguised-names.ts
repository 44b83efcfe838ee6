/** Names that readers of logs and lists take for other names. */

/** Control characters, invisible ones, and those that change the direction of writing. */
const CONFUSING = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]/u;

/**
 * Reports whether a new user, API key or user of an identity provider must not have a name. One with compatibility
 * characters looks like its normal form, and one with a space at an end like the name without it.
 */
export function isDisguised(name: string): boolean {
  return CONFUSING.test(name) || name.normalize('NFKC') !== name || name.trim() !== name;
}
