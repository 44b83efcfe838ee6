/** The console's address, for people who start the service. */
import type { HttpSettings } from '../../http/settings.ts';

/** Returns the address of the console of a service at `url`, or undefined if it is not served. */
export function consoleUrl(
  url: string,
  { console, consolePort }: Pick<HttpSettings, 'console' | 'consolePort'>,
): string | undefined {
  if (!console) return undefined;
  const address = new URL('/console', url);
  if (consolePort !== undefined) address.port = String(consolePort);
  return address.href;
}
