/** Removes credentials in URLs from messages. */

/** A quoted string is read to its end, so spaces and quotes in a password do not end it. */
const USER_AND_PASSWORD = /\/\/(?:\\.|[^"\\\n])*@/g;
/** The same without a scheme: `user:password@host`. */
const WITHOUT_SCHEME = /(^|["\s,=])[^\s"/,@:=]+:(?!\/\/)(?:\\.|[^"\\\s])*@/g;
/** Parameters can contain tokens. */
const PARAMETERS = /(https?:\/\/[^\s"?#]*)\?[^\s"]*/gi;

/** Returns a string with `***` in place of users, passwords and parameters in the URLs that it contains. */
export function withoutUrlSecrets(text: string): string {
  return text.replace(USER_AND_PASSWORD, '//***@').replace(WITHOUT_SCHEME, '$1***@').replace(PARAMETERS, '$1?***');
}
