/**
 * The files `.env` of the current folder. The runtime reads them before a program; the single-file executable is built
 * without that, because subcommands must not read them, and reads them here for the service.
 */
import { loadEnvFile } from 'node:process';

/** Adds the variables of `.env.local`, `.env.development` (or what `NODE_ENV` says) and `.env`, unless they are set. */
export function readEnvironmentFiles(): void {
  for (const name of ['.env.local', `.env.${process.env.NODE_ENV || 'development'}`, '.env']) {
    try {
      loadEnvFile(name);
    } catch {
      // There is no such file, or it cannot be read, which the runtime ignores, too.
    }
  }
}
