/**
 * Reads the HTTP server configuration file (docs/spec/contract.md 8): JSON with host, ports, certificates, idle
 * timeout, limits and thread counts. Requests do not have separate threads, so `maxThreads` limits how many are
 * executed at once.
 */
import { dirname, resolve } from 'node:path';
import { errorText } from '../base/errors.ts';
import { ConfigurationError } from './option.ts';
import type { OptionPath } from './options.ts';
import { Node } from './shape.ts';
import { readText, type Source, type SourceValue } from './sources.ts';

/** Members that correspond to options, by name. */
const SAME: Readonly<Record<string, OptionPath>> = {
  host: 'http.host',
  port: 'http.port',
  portRange: 'http.portRange',
  origins: 'http.origins',
  hosts: 'http.hosts',
  metricsPort: 'http.metricsPort',
  docs: 'http.docs',
  console: 'http.console',
  consolePort: 'http.consolePort',
  plain: 'http.plain',
};
const SAME_TLS: Readonly<Record<string, OptionPath>> = {
  cert: 'http.tls.cert',
  key: 'http.tls.key',
  passphrase: 'http.tls.passphrase',
  ca: 'http.tls.ca',
  port: 'http.tls.port',
  minimumVersion: 'http.tls.minimumVersion',
  strictTransportSeconds: 'http.tls.strictTransportSeconds',
  clientCertificates: 'http.tls.clientCertificates',
};
const SAME_LIMITS: Readonly<Record<string, OptionPath>> = {
  requestHeadBytes: 'limits.requestHeadBytes',
  requestBodyBytes: 'limits.requestBodyBytes',
  parametersPerRequest: 'limits.parametersPerRequest',
  requestsWaiting: 'limits.requestsWaiting',
};
/** The limit of http.idleTimeoutSeconds. */
const MAX_IDLE_MS = 255_000;
const OWN = ['idleTimeoutMs', 'minThreads', 'maxThreads', 'tls', 'limits'];

/** Reads the file. Throws ConfigurationError with the location. */
export function readHttpFile(file: string): Source {
  const text = readText('http.config', file);
  if (text.trimStart().startsWith('<')) {
    throw new ConfigurationError(
      `http.config: ${file} is XML, the format of Jetty; this service expects JSON: ` +
        '{"host": "localhost", "port": 8080, "idleTimeoutMs": 30000, "minThreads": 20, "maxThreads": 200, ' +
        '"tls": {"cert": "server.crt", "key": "server.key", "port": 8443}}',
    );
  }
  const root = new Node(parse(text, file), '');
  const options = new Map<OptionPath, SourceValue>();
  const set = (path: OptionPath, node: Node, value = node.value) =>
    options.set(path, {
      place: `${file}: ${node.place}`,
      from: 'value',
      value,
      resolve: (relative) => resolve(dirname(file), relative),
    });
  const same = (node: Node, paths: Readonly<Record<string, OptionPath>>, further: readonly string[] = []) => {
    const members = node.members([...Object.keys(paths), ...further]);
    for (const [name, path] of Object.entries(paths)) {
      const member = members[name];
      if (member !== undefined) set(path, member);
    }
    return members;
  };
  try {
    const { idleTimeoutMs, minThreads, maxThreads, tls, limits } = same(root, SAME, OWN);
    if (tls !== undefined) same(tls, SAME_TLS);
    if (limits !== undefined) same(limits, SAME_LIMITS);
    if (idleTimeoutMs !== undefined) {
      const ms = idleTimeoutMs.wholeNumber(1);
      if (ms > MAX_IDLE_MS) throw idleTimeoutMs.wrong(`a whole number of milliseconds from 1 to ${MAX_IDLE_MS}`);
      set('http.idleTimeoutSeconds', idleTimeoutMs, Math.ceil(ms / 1000));
    }
    const least = minThreads?.wholeNumber(1) ?? 1;
    if (maxThreads !== undefined) {
      if (maxThreads.wholeNumber(1) < least) throw maxThreads.wrong(`minThreads (${least}) or more`);
      set('limits.requestsInFlight', maxThreads);
    }
  } catch (error) {
    if (error instanceof ConfigurationError) throw new ConfigurationError(`${file}: ${error.message}`);
    throw error;
  }
  return options;
}

function parse(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ConfigurationError(`http.config: ${file} is not valid JSON: ${errorText(error)}`);
  }
}
