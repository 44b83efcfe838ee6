/** Names that people reading logs and lists mistake for others. */

/** Control characters, invisible ones, and those that change the direction of writing. */
const CONFUSING = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]/u;

/**
 * Reports whether a name is forbidden for a new user, API key or user of an identity provider. One with compatibility
 * characters looks like its normal form, and one with a leading or trailing space like the name without it.
 */
export function isDisguised(name: string): boolean {
  return CONFUSING.test(name) || name.normalize('NFKC') !== name || name.trim() !== name;
}
