/**
 * The `.env` files of the current folder. The runtime reads them before a program; the single-file executable is built
 * without that, because subcommands must not read them, and reads them here for the service.
 */
import { loadEnvFile } from 'node:process';

/** Adds the variables of `.env.local`, `.env.development` (or as NODE_ENV says) and `.env`, unless they are set. */
export function readEnvironmentFiles(): void {
  for (const name of ['.env.local', `.env.${process.env.NODE_ENV || 'development'}`, '.env']) {
    try {
      loadEnvFile(name);
    } catch {
      // The file does not exist, or cannot be read, which the runtime also ignores.
    }
  }
}
