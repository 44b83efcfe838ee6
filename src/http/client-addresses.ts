/**
 * Determines the address of a client behind trusted proxies, from the header that the proxies append to (RFC 7239 or
 * `X-Forwarded-For`). Headers from other senders are ignored, because anyone can write them.
 */
import { AddressSet, isAddress, networkOf } from '../base/networks.ts';
import type { PeerNetwork } from '../service/request.ts';
import type { HeaderTable } from './head/head.ts';

export type ForwardedHeader = 'X-Forwarded-For' | 'Forwarded';

export interface ProxySettings {
  /** Addresses and networks, in CIDR notation, of the proxies that report client addresses. */
  readonly trustedProxies: readonly string[];
  /** The header that they append to. Only one is read, because proxies pass on what clients write into the other. */
  readonly forwardedHeader: ForwardedHeader;
  /** Whether they begin each connection with a PROXY protocol header, version 2. */
  readonly proxyProtocol: boolean;
}

/** The sender of a request, according to its address and its headers. */
export interface RequestSender {
  /** Returns the address of the client that sent a request with these headers. */
  addressOf(headers: HeaderTable): string;
  /** Returns the network of that address, or the connection if many clients may share the address. */
  networkOf(headers: HeaderTable): PeerNetwork;
}

const LOOPBACK = new AddressSet(['127.0.0.0/8', '::1']);

export class ClientAddresses {
  readonly #trusted: AddressSet;
  readonly #header: string;

  readonly #proxyProtocol: boolean;

  constructor({ trustedProxies, forwardedHeader, proxyProtocol }: ProxySettings) {
    this.#proxyProtocol = proxyProtocol;
    this.#trusted = new AddressSet(trustedProxies);
    this.#header = forwardedHeader.toLowerCase();
  }

  /** Reports whether an address belongs to a trusted proxy. */
  isTrusted(address: string): boolean {
    return !this.#trusted.isEmpty && this.#trusted.has(address);
  }

  /** Reports whether connections from an address begin with a PROXY protocol header. */
  expectsProxyHeader(address: string): boolean {
    return this.#proxyProtocol && this.isTrusted(address);
  }

  /** Reports whether an address may stand for many clients, so that it does not get its own share. */
  isShared(address: string): boolean {
    return LOOPBACK.has(address) || this.isTrusted(address);
  }

  /**
   * Returns the address of the client whose request came from `address`. Reads the header from right to left, as long
   * as the address that reported an entry is trusted. An entry that is not an address ends the search.
   */
  clientOf(address: string, headers: HeaderTable): string {
    if (!this.isTrusted(address)) return address;
    const header = headers.get(this.#header);
    if (header === undefined) return address;
    const entries = this.#header === 'forwarded' ? forwardedFor(header) : header.split(',');
    let client = address;
    for (const entry of entries.reverse()) {
      const reported = addressOf(entry.trim());
      if (reported === undefined) return client;
      client = reported;
      if (!this.isTrusted(client)) return client;
    }
    return client;
  }
}

/** Returns the sender of a connection's requests. Only a trusted proxy's connection has several. */
export function senderOf(
  { address, port }: { readonly address: string; readonly port: number },
  clients: ClientAddresses,
): RequestSender {
  if (clients.isTrusted(address)) {
    const addressOf = (headers: HeaderTable): string => clients.clientOf(address, headers);
    return { addressOf, networkOf: (headers) => shareOf(addressOf(headers), port, clients) };
  }
  let network: PeerNetwork | undefined;
  return {
    addressOf: () => address,
    networkOf() {
      network ??= shareOf(address, port, clients);
      return network;
    },
  };
}

/** Returns the network whose share is used: for an IPv6 address, its /64. */
function shareOf(address: string, port: number, clients: ClientAddresses): PeerNetwork {
  return clients.isShared(address)
    ? { name: `${address} port ${port}`, isConnection: true }
    : { name: networkOf(address), isConnection: false };
}

/** Returns the address in an entry, without port and brackets, or undefined if it is not one. */
function addressOf(entry: string): string | undefined {
  const [, bracketed, v4 = entry] = /^(?:\[([^\]]*)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/.exec(entry) ?? [];
  const address = bracketed ?? v4;
  if (!isAddress(address) || address.includes('%')) return undefined;
  return address.toLowerCase().startsWith('::ffff:') ? networkOf(address) : address.toLowerCase();
}

/** One element of `Forwarded`: pairs, separated by semicolons, whose values may be quoted (RFC 7239, 4). */
const ELEMENTS = /(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/g;
const FOR = /(?:^|;)\s*for=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))\s*(?:;|$)/i;

/** Returns the nodes of the `for` pairs; an element without one has an empty node. */
function forwardedFor(header: string): string[] {
  return (header.match(ELEMENTS) ?? []).map((element) => {
    const [, quoted, token] = FOR.exec(element) ?? [];
    return quoted?.replace(/\\(.)/g, '$1') ?? token ?? '';
  });
}
