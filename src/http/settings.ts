/** Settings of the HTTP server, created from the configuration. */
import type { JsonOptions } from '../service/request.ts';
import type { ProxySettings } from './client-addresses.ts';

export interface TlsSettings {
  /** Certificate chain and private key, PEM files, absolute paths. They are read again when they change. */
  readonly certFile: string;
  readonly keyFile: string;
  readonly passphrase: string | undefined;
  /** Authorities that client certificates are checked against, a PEM file. */
  readonly caFile: string | undefined;
  readonly port: number;
  readonly minimumVersion: 'TLSv1.2' | 'TLSv1.3';
  /** `max-age` of the header Strict-Transport-Security; 0: the header is not sent. */
  readonly strictTransportSeconds: number;
  /** `required`: no answer without a valid one. `optional`: an invalid one counts as none. */
  readonly clientCertificates: 'none' | 'optional' | 'required';
}

export interface HttpSettings {
  /** `localhost` means 127.0.0.1 and ::1. */
  readonly host: string;
  /** Port of plain HTTP; 0: any free one; undefined: HTTPS only. */
  readonly port: number | undefined;
  /** How many ports are tried from the first one on; 0 and 1: only that one. */
  readonly portRange: number;
  readonly idleTimeoutSeconds: number;
  readonly tls: TlsSettings | undefined;
  /** Origins whose web pages may use the service; `*`: all. */
  readonly origins: readonly string[];
  /** Host names accepted besides the machine's own; without any, only loopback addresses are checked. `*`: all. */
  readonly hosts: readonly string[];
  readonly proxies: ProxySettings;
  /** Answers with fewer bytes are never compressed; 0: none is. */
  readonly compressionMinBytes: number;
  /** A port that serves /metrics and /health alone; undefined: they are on the other ports only. */
  readonly metricsPort: number | undefined;
  /** Errors of requests that do not say otherwise are objects. */
  readonly errorObjects: boolean;
  /** How requests are answered whose command is in a JSON body, or in the path beside one. */
  readonly json: JsonOptions;
  /** Whether /docs leads to the commands in the console. */
  readonly docs: boolean;
  /** Whether the console is served. */
  readonly console: boolean;
  /** A port that serves the console besides commands and pages; undefined: the other ports serve it. */
  readonly consolePort: number | undefined;
}
