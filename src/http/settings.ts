/** Settings of the HTTP server, created from the configuration. */
import type { JsonOptions } from '../service/request.ts';
import type { ProxySettings } from './client-addresses.ts';

export interface TlsSettings {
  /** Certificate chain and private key: PEM files, absolute paths. They are read again when they change. */
  readonly certFile: string;
  readonly keyFile: string;
  readonly passphrase: string | undefined;
  /** Authorities that client certificates are checked against: a PEM file. */
  readonly caFile: string | undefined;
  readonly port: number;
  readonly minimumVersion: 'TLSv1.2' | 'TLSv1.3';
  /** `max-age` of the Strict-Transport-Security header; 0 to send no header. */
  readonly strictTransportSeconds: number;
  /** `required`: no response without a valid one. `optional`: an invalid one counts as none. */
  readonly clientCertificates: 'none' | 'optional' | 'required';
}

export interface HttpSettings {
  /** `localhost` means 127.0.0.1 and ::1. */
  readonly host: string;
  /** Port for plain HTTP, or 0 for any free one; undefined for HTTPS only. */
  readonly port: number | undefined;
  /** How many ports are tried from the first one on; 0 and 1 mean only that one. */
  readonly portRange: number;
  readonly idleTimeoutSeconds: number;
  readonly tls: TlsSettings | undefined;
  /** Origins whose web pages may use the service; `*` for all. */
  readonly origins: readonly string[];
  /** Host names accepted besides the machine's own; without any, only loopback addresses are checked. `*` for all. */
  readonly hosts: readonly string[];
  readonly proxies: ProxySettings;
  /** Responses with fewer bytes are never compressed; 0 to compress none. */
  readonly compressionMinBytes: number;
  /** A port that serves only /metrics and /health; if undefined, they are only on the other ports. */
  readonly metricsPort: number | undefined;
  /** Whether errors are objects unless a request says otherwise. */
  readonly errorObjects: boolean;
  /** How to respond to requests whose command is in a JSON body, or in the path next to one. */
  readonly json: JsonOptions;
  /** Whether /docs redirects to the commands in the console. */
  readonly docs: boolean;
  /** Whether the console is served. */
  readonly console: boolean;
  /** A port that serves the console in addition to commands and pages; if undefined, the other ports serve it. */
  readonly consolePort: number | undefined;
  /** Whether tools for language models are served at /mcp. */
  readonly mcp: boolean;
}
