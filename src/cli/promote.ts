/** `svc promote`: makes the standby of a data folder the primary. */
import type { Command } from 'commander';
import { sleep } from '../base/clock.ts';
import { EXIT_CODES } from '../base/exit-codes.ts';
import { detailedStatus, type FailoverStatus } from '../base/failover-status.ts';
import type { ServiceClient } from './client.ts';
import { addConnectionOptions, type ConnectionOptions, connect } from './connection.ts';
import { type DataFolderOptions, dataFolderOf, unreadConfiguration } from './data-folder.ts';
import { CommandLineError, interruptedError, usageError } from './failures.ts';
import { addFolderOptions, noServiceOn } from './status.ts';
import type { Invocation } from './subcommand.ts';

interface PromoteOptions extends ConnectionOptions, DataFolderOptions {
  readonly timeout: string;
  readonly force?: boolean;
}

/** More than a lease plus a shutdown with requests in flight, both with their defaults. */
const DEFAULT_TIMEOUT_SECONDS = 60;
/** Short compared with the time that a takeover needs. */
const POLL_MS = 100;

export function declarePromote(command: Command, invocation: Invocation): void {
  addConnectionOptions(addFolderOptions(command), { withUrl: false })
    .option('--timeout <seconds>', 'time to wait until it is the primary', String(DEFAULT_TIMEOUT_SECONDS))
    .option('--force', 'take over from a primary that does not answer although acknowledged changes may be lost')
    .action(async (options: PromoteOptions) => {
      const { timeout, force = false } = options;
      if (!/^\d{1,6}$/.test(timeout)) throw usageError(`--timeout: must be a number of seconds, not ${timeout}`);
      const { terminal, service } = invocation;
      const folder = await dataFolderOf(options, terminal);
      const owner = await service.running(folder);
      if (owner?.url === undefined) {
        const advice = unreadConfiguration(options, terminal);
        throw new CommandLineError(EXIT_CODES.unreachable, noServiceOn(folder), { advice });
      }
      const client = await connect({ ...options, url: owner.url }, invocation);
      const status = await client.role();
      if (status === undefined) throw usageError(`the service on ${folder} has no backup.continuous.failover`);
      if (status.role === 'primary') {
        terminal.output.write(`it is the primary already, in epoch ${status.epoch}\n`);
        return;
      }
      terminal.output.write(`${whatIsLost(detailedStatus(status, owner.failover), force)}\n`);
      await service.promote(folder, force ? 'force' : 'hand-over');
      const taken = await untilPrimary(client, Number(timeout) * 1000, invocation);
      if (taken === undefined) {
        await service.promote(folder, undefined);
        throw new CommandLineError(EXIT_CODES.failed, `it is not the primary after ${timeout} seconds: see its log`);
      }
      terminal.output.write(`primary since takeover ${taken.epoch}\n`);
    });
}

/** Describes the losses of a takeover. Throws CommandLineError if a person must accept them. */
function whatIsLost(status: FailoverStatus, isForced: boolean): string {
  const { isHeld, isSilent, behindMs, reason, mayLoseMs, primary } = status;
  if (isSilent) {
    const because = reason ?? 'its process does not report';
    const problem = `the copy has not been known to be complete for ${Math.round(behindMs / 1000)} s: ${because}`;
    throw new CommandLineError(EXIT_CODES.failed, problem);
  }
  if (isHeld) return `the primary ${primary ?? ''} is asked to hand over: nothing is lost`.replace('  ', ' ');
  if (mayLoseMs === 0) return 'the primary does not renew its lease: nothing that was acknowledged is lost';
  const most = mayLoseMs === null ? 'all that it had not shipped' : `at most the last ${mayLoseMs} ms`;
  const problem = `the primary does not renew its lease, and ${most} of what it has acknowledged is lost`;
  if (isForced) return problem;
  const advice = 'start it again if its data folder is there, or accept the loss with --force';
  throw new CommandLineError(EXIT_CODES.failed, problem, { advice });
}

/** Waits until a standby is the primary and responds. Returns undefined if the time is over before. */
async function untilPrimary(
  client: ServiceClient,
  timeoutMs: number,
  { clock, terminal }: Invocation,
): Promise<FailoverStatus | undefined> {
  const endMs = clock.monotonicMs() + timeoutMs;
  while (clock.monotonicMs() < endMs) {
    if (terminal.interrupted.aborted) throw interruptedError();
    await sleep(clock, POLL_MS);
    try {
      const status = await client.role();
      if (status?.role === 'primary' && (await client.isReady())) return status;
    } catch (error) {
      // It starts to listen again.
      if (!(error instanceof CommandLineError) || error.exitCode !== EXIT_CODES.unreachable) throw error;
    }
  }
  return undefined;
}
