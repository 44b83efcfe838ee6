/** Cluster nodes: their addresses, and how connections to them are encrypted. */

/** The address of a node's client connector. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** Certificates as PEM. By default the system's roots are trusted and no client certificate is sent. */
export interface TlsOptions {
  readonly ca?: string;
  readonly certificate?: string;
  readonly key?: string;
  readonly passphrase?: string;
  /** Name that the node's certificate must carry, if different from the endpoint's host. */
  readonly serverName?: string;
  /** Accepts any certificate. For testing only. */
  readonly trustAll?: boolean;
}

/** Default port of Ignite's client connector. */
const DEFAULT_PORT = 10_800;

/** Parses `host:port`, `host` or `[address]:port`; the default port is 10800. Returns undefined for anything else. */
export function parseEndpoint(text: string): Endpoint | undefined {
  const match = /^(?:\[([0-9a-fA-F:.]+(?:%[\w.-]+)?)\]|([^:\s]+))(?::([0-9]{1,5}))?$/.exec(text.trim());
  const host = match?.[1] ?? match?.[2];
  const port = match?.[3] === undefined ? DEFAULT_PORT : Number(match[3]);
  return host === undefined || port < 1 || port > 65_535 ? undefined : { host, port };
}
