/**
 * Ports below those that the kernel gives to outgoing connections (32768 to 60999): a port in that range can be taken
 * by any test's connection between being found free and being used.
 */
const FIRST_PORT = 20_000;
const PORTS = 12_000;

/** Where this process continues; concurrent processes begin at different places. */
let next = Math.floor(Math.random() * PORTS);

/** Returns a free port of 127.0.0.1, a different one at each call. */
export function freePort(): number {
  for (let tried = 0; tried < PORTS; tried++) {
    const port = FIRST_PORT + (next++ % PORTS);
    try {
      Bun.listen({ hostname: '127.0.0.1', port, socket: { data() {} } }).stop(true);
      return port;
    } catch {
      // Someone listens there.
    }
  }
  throw new Error('no port is free');
}
