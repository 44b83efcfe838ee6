/** `svc doctor`: checks the service's requirements on this machine, and gives a remedy for each finding. */
import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { errorText } from '../base/errors.ts';
import { EXIT_CODES } from '../base/exit-codes.ts';
import { isBucketUrl } from '../base/local-path.ts';
import type { Configuration } from '../configuration/configuration.ts';
import { loadConfiguration } from '../configuration/load.ts';
import { ConfigurationError } from '../configuration/option.ts';
import type { Invocation } from './subcommand.ts';

interface Finding {
  readonly what: string;
  readonly ok: boolean;
  /** The finding, with the remedy for a problem. */
  readonly text: string;
}

/** A service on this machine answers within milliseconds, unless it hangs. */
const CONNECT_TIMEOUT_MS = 2_000;
/** With less, the service would soon reject writes (storage.minFreeBytes). */
const MIN_FREE_BYTES = 512 * 1024 * 1024;

export function declareDoctor(command: Command, invocation: Invocation): void {
  command
    .argument('[options...]', 'options of the service')
    .allowUnknownOption()
    .action(async (argv: readonly string[]) => {
      const findings = await examine(argv, invocation);
      for (const { what, ok, text } of findings) {
        invocation.terminal.output.write(`${ok ? 'ok     ' : 'PROBLEM'}  ${what}: ${text}\n`);
      }
      if (findings.some(({ ok }) => !ok)) invocation.exit(EXIT_CODES.failed);
    });
}

async function examine(argv: readonly string[], invocation: Invocation): Promise<readonly Finding[]> {
  const { terminal, version } = invocation;
  const installation = { what: 'installation', ok: true, text: `svc ${version} on Bun ${Bun.version}` };
  let configuration: Configuration;
  try {
    const { environment, cwd, installationFolder } = terminal;
    const loaded = await loadConfiguration({ argv, environment, cwd, installationFolder, checksCertificates: true });
    if (loaded.kind === 'print') return [installation];
    configuration = loaded.configuration;
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return [installation, { what: 'configuration', ok: false, text: error.message }];
  }
  const { file } = configuration;
  const running = await invocation.service.running(configuration.dataDir);
  const findings: Finding[] = [
    installation,
    { what: 'configuration', ok: true, text: file ?? 'no file, options and defaults only' },
    dataFolder(configuration.dataDir, running?.processId),
    ...(await storedKeys(configuration.dataDir, invocation)),
    await port(configuration, running?.url),
    ...(await storedBackups(configuration, invocation)),
    ...(await continuousBackup(configuration, invocation)),
    ...(await backupKeys(configuration, invocation)),
  ];
  for (const { host, port } of invocation.service.nodesOf(configuration)) findings.push(await node(host, port));
  return findings;
}

function dataFolder(folder: string, processId: number | undefined): Finding {
  const what = 'data folder';
  const existing = existingPart(folder);
  if (!isUsable(existing)) {
    return { what, ok: false, text: `${existing} is not writable: grant write permission or choose another (dataDir)` };
  }
  if (existing !== folder) return { what, ok: true, text: `${folder} does not exist yet; the first start creates it` };
  const { bavail, bsize } = statfsSync(folder);
  const freeMebibytes = Math.floor((bavail * bsize) / 2 ** 20);
  const user = processId === undefined ? '' : ` is in use by process ${processId}`;
  const text = `${folder}${user}, ${freeMebibytes} MiB free`;
  return bavail * bsize >= MIN_FREE_BYTES
    ? { what, ok: true, text }
    : { what, ok: false, text: `${text}: free some space, or writes will be rejected` };
}

/** Checks that this version can open the data folder of an earlier one: keys that it considers equal prevent it. */
async function storedKeys(folder: string, { service }: Invocation): Promise<Finding[]> {
  const what = 'stored keys';
  if (!isUsable(folder)) return [];
  try {
    const pairs = (await service.backups()).equalKeys(folder);
    if (pairs.length === 0) return [];
    const text = `equal in this version: ${pairs.join('; ')}: remove one of each two with the version that wrote them`;
    return [{ what, ok: false, text }];
  } catch (error) {
    return [{ what, ok: false, text: `cannot be read: ${errorText(error)}` }];
  }
}

/** Returns the folder, or its innermost existing ancestor: the first startup creates the rest in it. */
function existingPart(folder: string): string {
  let existing = folder;
  while (!existsSync(existing)) existing = dirname(existing);
  return existing;
}

function isUsable(folder: string): boolean {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Checks the bucket for backups, if there is one. */
async function storedBackups({ backup }: Configuration, invocation: Invocation): Promise<Finding[]> {
  const { folder } = backup;
  if (folder === undefined || !isBucketUrl(folder)) return [];
  return [await objectStore('backups', folder, 'backup.folder', invocation)];
}

/** Checks the destination of the continuous backup, if there is one. */
async function continuousBackup({ backup, dataDir }: Configuration, invocation: Invocation): Promise<Finding[]> {
  if (backup.continuous === undefined) return [];
  const what = 'continuous backup';
  const { url } = backup.continuous;
  if (!url.startsWith('file:')) return [await objectStore(what, url, 'backup.continuous.url', invocation)];
  const folder = fileURLToPath(url);
  const existing = existingPart(folder);
  if (!isUsable(existing)) {
    return [{ what, ok: false, text: `${existing} is not writable: grant write permission (backup.continuous.url)` }];
  }
  const isSameDisk = existsSync(dataDir) && statSync(dataDir).dev === statSync(existing).dev;
  const { bavail, bsize } = statfsSync(existing);
  const text = `${folder}, ${Math.floor((bavail * bsize) / 2 ** 20)} MiB free`;
  return [{ what, ok: true, text: isSameDisk ? `${text}, on the disk of the data: it is lost with that disk` : text }];
}

/** Checks that the keys encrypt, and that they open the newest object of the continuous backup. */
async function backupKeys({ backup }: Configuration, { service }: Invocation): Promise<Finding[]> {
  const { keyFile, continuous } = backup;
  if (keyFile === undefined) return [];
  const what = 'keys of backups';
  try {
    const files = await service.backups();
    for await (const _ of files.decrypted(files.encrypted(NOTHING, keyFile), keyFile)) {
      // Nothing is in it.
    }
    if (continuous !== undefined) await files.checkKeys(continuous.url, keyFile);
    return [{ what, ok: true, text: `${keyFile}; keep a copy in another place` }];
  } catch (error) {
    const reason = errorText(error);
    return [{ what, ok: false, text: `${reason} (backup.encryptionKeyFile)` }];
  }
}

const NOTHING: AsyncIterable<Uint8Array> = {
  async *[Symbol.asyncIterator]() {},
};

/**
 * Reports whether a bucket's objects can be listed. The service checks at startup whether it supports
 * conditional requests.
 */
async function objectStore(what: string, url: string, option: string, { service }: Invocation): Promise<Finding> {
  try {
    await (await service.backups()).checkBucket(url);
    return { what, ok: true, text: `${url} can be listed` };
  } catch (error) {
    const reason = errorText(error);
    return { what, ok: false, text: `${url}: ${reason} (${option})` };
  }
}

async function port({ http }: Configuration, runningUrl: string | undefined): Promise<Finding> {
  const what = 'port';
  const wanted = http.port ?? http.tls?.port;
  if (runningUrl !== undefined) return { what, ok: true, text: `the service listens on ${runningUrl}` };
  if (wanted === undefined || wanted === 0) return { what, ok: true, text: 'any free port' };
  const host = http.host === '0.0.0.0' || http.host === '::' ? 'localhost' : http.host;
  if (!(await accepts(host, wanted))) return { what, ok: true, text: `${wanted} is free` };
  return {
    what,
    ok: false,
    text: `${wanted} is in use by another program: stop it or choose another port (http.port)`,
  };
}

async function node(host: string, port: number): Promise<Finding> {
  const what = `cluster node ${host}:${port}`;
  return (await accepts(host, port))
    ? { what, ok: true, text: 'accepts connections' }
    : { what, ok: false, text: 'does not accept connections: start the node or correct engine.cluster.endpoints' };
}

/** Reports whether something accepts connections there, whatever protocol it speaks. */
async function accepts(host: string, port: number): Promise<boolean> {
  const address = host.includes(':') ? `[${host}]` : host;
  try {
    await fetch(`http://${address}:${port}/`, { signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS) });
    return true;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    // A program that speaks another protocol accepts the connection and sends nothing that fetch understands.
    return !/ECONNREFUSED|ConnectionRefused|ENOTFOUND|EHOSTUNREACH|FailedToOpenSocket|EAI_/.test(code);
  }
}
