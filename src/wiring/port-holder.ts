/** Finds the process that listens on a port. */
import { contentOf, holderOf, programOf } from './descriptors.ts';

/** The state of a listening socket, in the system's tables. */
const LISTENS = '0A';

/** Returns the process that listens on a port, as text, or undefined if the system does not report it. */
export function portHolder(port: number): string | undefined {
  const sockets = new Set(['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) => listeningSockets(table, port)));
  if (sockets.size === 0) return undefined;
  const holder = holderOf((name) => sockets.has(name));
  if (holder === undefined) return 'a process of another user';
  const program = programOf(holder);
  return `process ${holder}${program === undefined ? '' : ` (${program})`}`;
}

/** Returns the names of the sockets in a table that listen on a port. */
function listeningSockets(table: string, port: number): string[] {
  return contentOf(table)
    .split('\n')
    .flatMap((line) => {
      const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/);
      const isMeant = state === LISTENS && Number.parseInt(local.slice(local.lastIndexOf(':') + 1), 16) === port;
      return isMeant ? [`socket:[${inode}]`] : [];
    });
}
