/** `svc record`: a proxy in front of a service that records the requests of its clients. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { sleep } from '../../base/clock.ts';
import { errorText } from '../../base/errors.ts';
import { type ConnectionOptions, readOptionFile, targetUrl } from '../connection.ts';
import { usageError } from '../failures.ts';
import { localPath } from '../local-path.ts';
import type { Invocation } from '../subcommand.ts';

interface RecordOptions extends Pick<ConnectionOptions, 'url' | 'ca' | 'insecure'> {
  readonly host: string;
  readonly port: string;
  readonly httpOrigins?: string;
  readonly httpHosts?: string;
  readonly answers: boolean;
  readonly seconds?: string;
  readonly append?: boolean;
}

const FILE_MODE = 0o600;
/** Ports have 16 bits. */
const MAX_PORT = 65_535;
/** How long Ctrl-C may go unnoticed. */
const POLL_MS = 50;

export function declareRecord(command: Command, invocation: Invocation): void {
  command
    .argument('<file>', 'NDJSON file to write')
    .option('--url <url>', 'service to forward to, such as http://localhost:8080/ignite (environment: SVC_URL)')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <port>', 'port to listen on', '8079')
    .option('--http-origins <list>', 'origins whose web pages may use it, separated by commas, as of svc serve')
    .option('--http-hosts <list>', 'additional host names to accept, separated by commas, as of svc serve')
    .option('--no-answers', 'record no answers: they hold stored values')
    .option('--seconds <number>', 'stop after this time; default: at Ctrl-C')
    .option('--append', 'add to the file if it exists')
    .option('--ca <file>', 'PEM file of the certificate authorities that the service is verified against')
    .option('--insecure', 'accept any certificate of the service')
    .action((file: string, options: RecordOptions) => record(file, options, invocation));
}

async function record(file: string, options: RecordOptions, invocation: Invocation): Promise<void> {
  const { terminal, clock } = invocation;
  const upstream = await targetUrl(options, invocation);
  if (upstream.includes(',')) throw usageError('--url: a recording forwards to one address');
  const port = wholeNumber('--port', options.port, MAX_PORT);
  const seconds = options.seconds === undefined ? undefined : wholeNumber('--seconds', options.seconds, 1e9);
  const path = localPath(terminal.cwd, file);
  const descriptor = openRecording(path, options.append === true);
  const { startRecordingProxy } = await import('./recording-proxy.ts');
  const { writeExchange } = await import('../../replay/exchange.ts');
  let requests = 0;
  try {
    const proxy = startRecordingProxy({
      upstream,
      hostname: options.host,
      port,
      origins: itemsOf(options.httpOrigins),
      hosts: itemsOf(options.httpHosts),
      recordsAnswers: options.answers,
      clock,
      tls: {
        ...(options.insecure === true && { rejectUnauthorized: false }),
        ...(options.ca !== undefined && { ca: readOptionFile('--ca', resolve(terminal.cwd, options.ca)) }),
      },
      onExchange(exchange) {
        requests++;
        writeSync(descriptor, writeExchange(exchange));
      },
    });
    const path = new URL(upstream).pathname;
    terminal.output.write(`recording on http://${options.host}:${proxy.port}${path}, forwarding to ${upstream}\n`);
    const startMs = clock.monotonicMs();
    while (!terminal.interrupted.aborted) {
      if (seconds !== undefined && clock.monotonicMs() - startMs >= seconds * 1_000) break;
      await sleep(clock, POLL_MS);
    }
    await proxy.stop();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
      throw usageError(`--port: ${options.host}:${port} is in use`);
    }
    throw error;
  } finally {
    closeSync(descriptor);
  }
  terminal.output.write(`${requests} ${requests === 1 ? 'request' : 'requests'} recorded\n`);
}

function itemsOf(list = ''): readonly string[] {
  return list
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** Opens the file for the user only: it contains keys and values. Throws CommandLineError. */
function openRecording(path: string, appends: boolean): number {
  try {
    return openSync(path, appends ? 'a' : 'wx', FILE_MODE);
  } catch (error) {
    const exists = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    if (exists) throw usageError(`${path} exists; --append adds to it`);
    throw usageError(`cannot write ${path}: ${errorText(error)}`);
  }
}

/** Reads the number of an option. Throws CommandLineError. */
export function wholeNumber(flag: string, text: string, max: number): number {
  if (!/^\d{1,10}$/.test(text) || Number(text) > max) {
    throw usageError(`${flag}: must be a whole number of at most ${max}, not ${text}`);
  }
  return Number(text);
}
