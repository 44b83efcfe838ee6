/**
 * Finds the port to listen on. An exclusive bind fails if the port is in use; a bind with SO_REUSEPORT would silently
 * share it with another process of the same user. The port is therefore first bound exclusively. If threads or
 * certificates of this process share it, an abstract Unix socket then reserves it against other processes.
 */
import { networkInterfaces, platform } from 'node:os';
import { errorText } from '../base/errors.ts';

/** A listener that can be stopped. */
export interface Listener {
  readonly port: number;
  stop(): void;
}

/** Binds an address; throws an error with a `code` if it cannot. */
export type Bind<L extends Listener> = (address: string, port: number, shared: boolean) => L;

/** A port that no other process can reserve until it is released. */
export interface ReservedPort {
  readonly port: number;
  readonly addresses: readonly string[];
  release(): void;
}

/** Returns the addresses of a configured host. */
export function addressesOf(host: string): readonly string[] {
  if (host !== 'localhost') return [host];
  return hasIpv6Loopback() ? ['127.0.0.1', '::1'] : ['127.0.0.1'];
}

function hasIpv6Loopback(): boolean {
  return Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === '::1'));
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** Returns the host as it appears in a URL. */
export function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

/** Remedies for bind errors, whose texts name only the address. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'the system permits it to no ordinary user, choose a port from 1024 on (http.port)',
  EADDRNOTAVAIL: 'this machine has no such address, choose another one (http.host)',
};

/** No port could be bound. The message names the ports and the reason. */
export class PortError extends Error {
  override readonly name = 'PortError';
  /** The only port tried, or undefined if there are several, or if the reason is not that it is in use. */
  readonly usedPort: number | undefined;

  constructor(message: string, usedPort?: number) {
    super(message);
    this.usedPort = usedPort;
  }
}

/**
 * Binds all addresses on the first port of `range` that is free on all of them. Throws PortError if there is none, or
 * if a port may not be bound at all.
 */
export function bindFirstFree<L extends Listener>(
  addresses: readonly string[],
  firstPort: number,
  range: number,
  bind: Bind<L>,
): { readonly port: number; readonly listeners: readonly L[] } {
  const tries = firstPort === 0 ? 10 : Math.max(1, Math.min(range, 65_536 - firstPort));
  for (let attempt = 0; attempt < tries; attempt++) {
    const bound = bindAll(addresses, firstPort === 0 ? 0 : firstPort + attempt, bind);
    if (bound !== undefined) return bound;
  }
  const ports = tries === 1 ? `port ${firstPort} is` : `all ports from ${firstPort} to ${firstPort + tries - 1} are`;
  throw new PortError(
    `${ports} in use on ${addresses.join(', ')}: choose another port (http.port) or a wider range (http.portRange)`,
    tries === 1 ? firstPort : undefined,
  );
}

/** Binds all addresses on one port. Returns undefined if it is in use. */
function bindAll<L extends Listener>(addresses: readonly string[], port: number, bind: Bind<L>) {
  const listeners: L[] = [];
  try {
    for (const address of addresses) listeners.push(bind(address, listeners[0]?.port ?? port, false));
  } catch (error) {
    for (const each of listeners) each.stop();
    if (codeOf(error) === 'EADDRINUSE') return undefined;
    const reason = REASONS[codeOf(error) ?? ''] ?? errorText(error);
    throw new PortError(`cannot listen on ${addresses.join(', ')} port ${port}: ${reason}`);
  }
  return { port: listeners[0]?.port ?? port, listeners };
}

/** Reserves the first free port for listeners that share it. */
export function reserveFirstFree(addresses: readonly string[], firstPort: number, range: number): ReservedPort {
  const tries = Math.max(1, range);
  for (let from = firstPort; ; ) {
    const left = firstPort === 0 ? 1 : tries - (from - firstPort);
    const { port, listeners } = bindFirstFree(addresses, from, left, probe);
    for (const each of listeners) each.stop();
    const release = bindNames(addresses, port);
    if (release !== undefined) return { port, addresses, release };
    if (firstPort !== 0) from = port + 1;
    if (firstPort !== 0 && from >= firstPort + tries) {
      throw new PortError(`all ports from ${firstPort} to ${from - 1} are in use on ${addresses.join(', ')}`);
    }
  }
}

/** Closes every connection: probed ports and abstract sockets serve none. */
const REJECT_ALL: Bun.SocketHandler = {
  open(socket) {
    socket.end();
  },
  data() {},
};

function probe(address: string, port: number): Listener {
  const listener = Bun.listen({ hostname: address, port, socket: REJECT_ALL });
  return { port: listener.port, stop: () => listener.stop(true) };
}

/**
 * Binds an abstract Unix socket for each address, whose name is unique on this machine. Returns undefined if another
 * process has bound one of them.
 */
function bindNames(addresses: readonly string[], port: number): (() => void) | undefined {
  if (platform() !== 'linux') return () => {};
  const names: Array<{ stop(): void }> = [];
  const release = () => {
    for (const name of names) name.stop();
  };
  try {
    for (const address of addresses) {
      const name = Bun.listen({ unix: `\0svc-${address}-${port}`, socket: REJECT_ALL });
      name.unref();
      names.push({ stop: () => name.stop(true) });
    }
  } catch (error) {
    release();
    if (codeOf(error) === 'EADDRINUSE') return undefined;
    throw error;
  }
  return release;
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
