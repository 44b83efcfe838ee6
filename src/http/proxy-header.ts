/** The PROXY protocol header, version 2, with which a proxy begins a connection. Version 1 is rejected. */
import { gridError } from '../base/errors.ts';
import { HTTP_BOUNDS } from '../base/limits.ts';

export interface SocketAddress {
  readonly address: string;
  readonly port: number;
}

export interface ProxyHeader {
  /** Bytes of the header; those after it are the client's. */
  readonly bytes: number;
  /** undefined if the proxy reports no TCP client, as for its own health checks. */
  readonly client: SocketAddress | undefined;
}

const SIGNATURE = Buffer.from([13, 10, 13, 10, 0, 13, 10, 0x51, 0x55, 0x49, 0x54, 10]);
/** Signature, version and command, family and protocol, and length of the rest. */
const FIXED_BYTES = 16;
const LOCAL = 0x20;
const PROXY = 0x21;
const TCP4 = 0x11;
const TCP6 = 0x21;
/** Total size of both addresses and both ports, in bytes. */
const TCP4_BYTES = 12;
const TCP6_BYTES = 36;

/** Returns the header at the start of `bytes`, or undefined if more bytes are needed. Throws REQUEST_MALFORMED. */
export function parseProxyHeader(bytes: Buffer): ProxyHeader | undefined {
  const known = Math.min(bytes.length, SIGNATURE.length);
  if (bytes.compare(SIGNATURE, 0, known, 0, known) !== 0) throw malformed('the header of version 2 is missing');
  if (bytes.length < FIXED_BYTES) return undefined;
  const command = bytes[12];
  if (command !== LOCAL && command !== PROXY) throw malformed('the version or command is unknown');
  const length = bytes.readUInt16BE(14);
  if (length > HTTP_BOUNDS.proxyHeaderBytes) throw malformed(`${length} bytes are too many`);
  const end = FIXED_BYTES + length;
  if (bytes.length < end) return undefined;
  return {
    bytes: end,
    client: command === PROXY ? clientOf(bytes[13] ?? 0, bytes.subarray(FIXED_BYTES, end)) : undefined,
  };
}

function clientOf(family: number, addresses: Buffer): SocketAddress | undefined {
  if (family !== TCP4 && family !== TCP6) return undefined;
  if (addresses.length < (family === TCP4 ? TCP4_BYTES : TCP6_BYTES)) throw malformed('the addresses are incomplete');
  if (family === TCP4) return { address: addresses.subarray(0, 4).join('.'), port: addresses.readUInt16BE(8) };
  const groups = Array.from({ length: 8 }, (_, index) => addresses.readUInt16BE(2 * index).toString(16));
  return { address: groups.join(':'), port: addresses.readUInt16BE(32) };
}

function malformed(reason: string): Error {
  return gridError('REQUEST_MALFORMED', `PROXY protocol: ${reason}`);
}
