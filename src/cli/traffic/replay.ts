/** `svc replay`: sends recorded requests to one or two services and compares the responses. */
import type { Command } from 'commander';
import { EXIT_CODES } from '../../base/exit-codes.ts';
import type { Answer } from '../../replay/comparison.ts';
import type { Exchange } from '../../replay/exchange.ts';
import type { ReplayResult, Skip, Times } from '../../replay/replay-report.ts';
import type { Target } from '../../replay/replayer.ts';
import type { ServiceClient } from '../client.ts';
import { addConnectionOptions, type ConnectionOptions, connect } from '../connection.ts';
import { usageError } from '../failures.ts';
import type { Invocation } from '../subcommand.ts';
import { tableText } from '../table-output.ts';
import { wholeNumber } from './record.ts';
import { readRecording } from './recording-file.ts';

interface ReplayCommandOptions extends Omit<ConnectionOptions, 'url'> {
  readonly against: string;
  readonly and?: string;
  readonly speed: string;
  readonly concurrency: string;
  readonly writes?: boolean;
  readonly json?: boolean;
}

/** More would measure the queue of this process. */
const MAX_CONCURRENCY = 1_000;
/** Maximum number of findings shown as text; --json shows all. */
const MAX_SHOWN = 50;

export function declareReplay(command: Command, invocation: Invocation): void {
  addConnectionOptions(command, { withUrl: false })
    .argument('<file>', 'recording of svc record, - for standard input')
    .requiredOption('--against <url>', 'service to send the requests to')
    .option('--and <url>', 'second service, whose answers are compared with those of the first')
    .option('--speed <factor>', 'times as fast as recorded; 0: as fast as the answers come', '1')
    .option('--concurrency <number>', 'maximum number of requests in flight', '64')
    .option('--writes', 'also send the requests that change data')
    .option('--json', 'print the result as JSON')
    .action((file: string, options: ReplayCommandOptions) => runReplay(file, options, invocation));
}

async function runReplay(file: string, options: ReplayCommandOptions, invocation: Invocation): Promise<void> {
  const { terminal, clock } = invocation;
  const speed = Number(options.speed);
  if (!(speed >= 0 && Number.isFinite(speed))) throw usageError(`--speed: must be a number, not ${options.speed}`);
  const concurrency = wholeNumber('--concurrency', options.concurrency, MAX_CONCURRENCY);
  if (concurrency === 0) throw usageError('--concurrency: must be at least 1');
  const urls = [options.against, ...(options.and === undefined ? [] : [options.and])];
  const { ReplayReport } = await import('../../replay/replay-report.ts');
  const { replay } = await import('../../replay/replayer.ts');
  const report = new ReplayReport(urls.length);
  const targets: Target[] = [];
  for (const url of urls) targets.push(targetOf(await connect({ ...options, url }, invocation)));
  await replay(readRecording(file, terminal), {
    targets,
    report,
    clock,
    speed,
    concurrency,
    sendsWrites: options.writes === true,
    signal: terminal.interrupted,
  });
  const result = report.result();
  terminal.output.write(options.json === true ? `${JSON.stringify(result, null, 2)}\n` : resultText(result, urls));
  const { failure, response, form } = result.differences;
  if (failure + response + form > 0 || result.failures.length > 0) invocation.exit(EXIT_CODES.failed);
}

function targetOf(client: ServiceClient): Target {
  return {
    async send({ method, target, body }: Pick<Exchange, 'method' | 'target' | 'body'>): Promise<Answer> {
      const init = {
        method,
        ...(body !== undefined && { body: body.text, headers: { 'content-type': body.type } }),
      };
      const response = await client.sendRaw(target, init);
      return { status: response.status, text: await response.text() };
    },
  };
}

const SKIPS: Readonly<Record<Skip, string>> = {
  write: 'change data (--writes sends them)',
  login: 'log in or list users',
  secret: 'change users, whose passwords are not recorded',
  incomplete: 'were not recorded whole',
  cursor: 'read a cursor that was not opened here',
};

function resultText(result: ReplayResult, urls: readonly string[]): string {
  const { commands, findings, skipped, failures, differences, latestMs } = result;
  const sums = { sent: 0, equal: 0 };
  for (const { sent, equal } of commands) {
    sums.sent += sent;
    sums.equal += equal;
  }
  const table = tableText(
    ['command', 'sent', 'equal', 'different', 'skipped', 'recorded p50/p99 ms', ...urls.map(() => 'p50/p99 ms')],
    commands.map(({ command, sent, equal, different, skipped, recorded, targets }) => [
      command === '' ? '(none)' : command,
      ...[sent, equal, different, skipped].map(String),
      timesText(recorded),
      ...targets.map(timesText),
    ]),
  );
  const parts = [
    table,
    `${sums.sent} sent, ${sums.equal} equal, ${differences.response} with another response, ` +
      `${differences.failure} that only one side executed, ${differences.text} rejected with another text, ` +
      `${differences.form} with another form\n`,
  ];
  for (const [reason, text] of Object.entries(SKIPS)) {
    const count = skipped[reason as Skip];
    if (count !== undefined) parts.push(`${count} not sent: they ${text}\n`);
  }
  if (latestMs > 1_000) parts.push(`the latest request was sent ${(latestMs / 1_000).toFixed(1)} s after its time\n`);
  for (const { target, message, count } of failures)
    parts.push(`${count} without answer of ${urls[target]}: ${message}\n`);
  if (findings.length > 0) parts.push('\ndifferences:\n');
  for (const { command, count, kind, path, left, right, target } of findings.slice(0, MAX_SHOWN)) {
    parts.push(`${count} x ${command} (${kind}, ${path}): ${left} | ${right}\n  first: ${target}\n`);
  }
  if (findings.length > MAX_SHOWN) parts.push(`... and ${findings.length - MAX_SHOWN} more (--json shows all)\n`);
  return parts.join('');
}

function timesText(times: Times | undefined): string {
  return times === undefined ? '' : `${shortMs(times.p50)} / ${shortMs(times.p99)}`;
}

/** Returns a time, with one decimal if that is meaningful. */
function shortMs(ms: number): string {
  return ms < 10 ? ms.toFixed(1) : ms.toFixed(0);
}
