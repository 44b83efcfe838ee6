/** `svc status` and `svc stop`: a data folder's service, found through the process that uses the folder. */
import { accessSync, constants } from 'node:fs';
import type { Command } from 'commander';
import { sleep } from '../base/clock.ts';
import { EXIT_CODES } from '../base/exit-codes.ts';
import {
  detailedStatus,
  type FailoverDetails,
  type FailoverStatus,
  lossText,
  takeoverText,
} from '../base/failover-status.ts';
import { isoTime } from '../base/iso-time.ts';
import { addConnectionOptions, type ConnectionOptions, connect, targetUrl } from './connection.ts';
import { type DataFolderOptions, dataFolderOf, namesFolder, unreadConfiguration } from './data-folder.ts';
import { CommandLineError, interruptedError, usageError } from './failures.ts';
import { addOutputOptions, type OutputOptions, printObject } from './output.ts';
import type { Invocation } from './subcommand.ts';

type StatusOptions = ConnectionOptions & OutputOptions & DataFolderOptions;

export function addFolderOptions(command: Command): Command {
  return command
    .option('--data-dir <folder>', 'data folder of the service; default: that of --config or SVC_CONFIG, else data')
    .option('--config <file>', 'configuration file of the service, which names the data folder');
}

export function declareStatus(command: Command, invocation: Invocation): void {
  addOutputOptions(addConnectionOptions(addFolderOptions(command))).action(async (options: StatusOptions) => {
    const { terminal } = invocation;
    const optionsNameFolder = options.dataDir !== undefined || options.config !== undefined;
    const isRemote = options.url !== undefined || (!optionsNameFolder && Boolean(terminal.environment.SVC_URL));
    const report = isRemote ? await remoteStatus(options, invocation) : await localStatus(options, invocation);
    await printObject(report, options, terminal);
    if (!isWell(report)) invocation.exit(EXIT_CODES.failed);
  });
}

type Report = { readonly state: 'ready' | 'not ready' | 'starting' | 'standby' } & Readonly<
  Record<string, string | number>
>;

/** Whether it responds to commands, or is a standby that follows the primary. */
function isWell({ state, reason }: Report): boolean {
  return state === 'ready' || (state === 'standby' && reason === undefined);
}

/** `details`: the details of the service's role in its data folder. */
async function remoteStatus(
  options: StatusOptions,
  invocation: Invocation,
  details?: FailoverDetails,
): Promise<Report> {
  const client = await connect(options, invocation);
  const isReady = await client.isReady();
  const role = await client.role();
  const state = isReady ? 'ready' : role?.role === 'standby' ? 'standby' : 'not ready';
  return { state, url: client.url, ...(role !== undefined && roleReport(detailedStatus(role, details))) };
}

/** Returns a failover service's report about itself, without unknown members. */
function roleReport(status: FailoverStatus): Readonly<Record<string, string | number>> {
  const { role, epoch, primary, position, behindMs, behindPositions, lastObjectAgeMs, takeover, lost } = status;
  const reason = status.waitsFor ?? status.reason;
  return {
    role,
    epoch,
    ...(role === 'standby' && { primary: primary ?? 'it has no advertised address' }),
    ...(position !== null && { position }),
    behindMs: Math.round(behindMs),
    ...(role === 'standby' && { behindPositions }),
    ...(lastObjectAgeMs !== null && { lastObjectAgeMs: Math.round(lastObjectAgeMs) }),
    ...(takeover !== null && { lastTakeover: isoTime(takeover.atMs), because: takeoverText(takeover) }),
    ...(takeover?.mayHaveLostMs !== undefined && { mayHaveLostMs: takeover.mayHaveLostMs ?? 'no bound' }),
    ...(lost !== undefined && { lost: lossText(lost) }),
    ...(reason !== null && { reason }),
  };
}

async function localStatus(options: StatusOptions, invocation: Invocation): Promise<Report> {
  const folder = await dataFolderOf(options, invocation.terminal);
  const owner = await invocation.service.running(folder);
  if (owner === undefined) {
    const removed = await invocation.service.processOfRemoved(folder);
    if (removed === undefined) return otherStatus(folder, options, invocation);
    const problem = `process ${removed} runs on ${folder}, which was removed: end it with svc stop`;
    throw new CommandLineError(EXIT_CODES.failed, problem);
  }
  const { url, processId, version, startedAtMs } = owner;
  const upSeconds = Math.max(0, Math.round((invocation.clock.nowMs() - startedAtMs) / 1000));
  const about = { process: processId, version, upSeconds, dataDir: folder };
  if (url === undefined) return { state: 'starting', ...about };
  const { state, ...status } = await remoteStatus({ ...options, url }, invocation, owner.failover);
  return { state, ...status, url, ...about };
}

/**
 * Returns the status of the service that other subcommands talk to, such as a package's, which runs on its own folder.
 * Throws CommandLineError if there is none, or if the folder was named.
 */
async function otherStatus(folder: string, options: StatusOptions, invocation: Invocation): Promise<Report> {
  let nowhere = noServiceOn(folder);
  if (!namesFolder(options, invocation.terminal)) {
    try {
      return await remoteStatus(options, invocation);
    } catch (error) {
      if (!(error instanceof CommandLineError) || error.exitCode !== EXIT_CODES.unreachable) throw error;
      nowhere += `, and none answers at ${await targetUrl(options, invocation)}`;
    }
  }
  const advice = unreadConfiguration(options, invocation.terminal);
  throw new CommandLineError(EXIT_CODES.unreachable, `${nowhere}: start one with svc serve`, { advice });
}

/** Returns the text for a folder without a service. Throws CommandLineError if only another user could know. */
export function noServiceOn(folder: string): string {
  try {
    accessSync(folder, constants.X_OK);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EACCES') {
      const problem = `${folder} may not be read: run this as the user of the service`;
      throw new CommandLineError(EXIT_CODES.forbidden, problem, { cause: error });
    }
  }
  return `no service runs on ${folder}`;
}

interface StopOptions extends DataFolderOptions {
  readonly timeout: string;
  readonly force?: boolean;
}

/** The time that the service itself allows requests in flight when it stops. */
const DEFAULT_TIMEOUT_SECONDS = 30;
/** Short compared with the time that a process needs to exit. */
const POLL_MS = 50;

export function declareStop(command: Command, invocation: Invocation): void {
  addFolderOptions(command)
    .option('--timeout <seconds>', 'time to wait for the end of the process', String(DEFAULT_TIMEOUT_SECONDS))
    .option('--force', 'kill the process when the time is over; acknowledged writes are on disk in any case')
    .action(async ({ timeout, force = false, ...folderOptions }: StopOptions) => {
      if (!/^\d{1,6}$/.test(timeout)) throw usageError(`--timeout: must be a number of seconds, not ${timeout}`);
      const { terminal, service } = invocation;
      const folder = await dataFolderOf(folderOptions, terminal);
      const owner = await service.running(folder);
      const processId = owner?.processId ?? (await service.processOfRemoved(folder));
      if (processId === undefined) {
        const nowhere = noServiceOn(folder);
        const advice = unreadConfiguration(folderOptions, terminal);
        // Its service may still be running.
        if (advice !== undefined) throw new CommandLineError(EXIT_CODES.usage, nowhere, { advice });
        terminal.output.write(`${nowhere}\n`);
        return;
      }
      if (owner === undefined) terminal.errors.write(`svc: ${folder} was removed while the service ran on it\n`);
      if (owner?.isOwn === false && !namesFolder(folderOptions, terminal)) {
        const problem = `${folder} belongs to another user, or others can change it`;
        throw new CommandLineError(EXIT_CODES.forbidden, `${problem}: name it with --data-dir to trust it`);
      }
      service.signal(processId, 'SIGTERM');
      if (await hasEnded(processId, Number(timeout) * 1000, invocation)) {
        terminal.output.write(`stopped process ${processId}\n`);
        return;
      }
      const notEnded = `process ${processId} is still running after ${timeout} seconds`;
      if (!force) throw new CommandLineError(EXIT_CODES.failed, `${notEnded}; --force kills it`);
      service.signal(processId, 'SIGKILL');
      terminal.output.write(`${notEnded}; it was killed\n`);
    });
}

async function hasEnded(
  processId: number,
  timeoutMs: number,
  { clock, service, terminal }: Invocation,
): Promise<boolean> {
  const endMs = clock.monotonicMs() + timeoutMs;
  while (service.isRunning(processId)) {
    if (terminal.interrupted.aborted) throw interruptedError();
    if (clock.monotonicMs() >= endMs) return false;
    await sleep(clock, POLL_MS);
  }
  return true;
}
