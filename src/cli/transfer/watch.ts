/** `svc watch`: writes the changes of caches to standard output, or delivers them to an address with `--post`. */
import type { Command } from 'commander';
import { addConnectionOptions, type ConnectionOptions, connect } from '../connection.ts';
import type { PostOptions } from '../delivery/deliver.ts';
import { usageError } from '../failures.ts';
import type { ClientInvocation } from '../subcommand.ts';
import { changeStream } from './change-stream.ts';

interface WatchOptions extends ConnectionOptions, PostOptions {
  readonly entry?: string;
  readonly entryType?: string;
  readonly operation?: string;
  readonly oldValue?: boolean;
  readonly follow: boolean;
  readonly events?: boolean;
  readonly retrySeconds?: string;
}

export function declareWatch(command: Command, invocation: ClientInvocation): void {
  addConnectionOptions(command)
    .argument(
      '[caches...]',
      'names of caches, "*" for every cache whose changes are recorded; default: the default cache',
    )
    .option('--entry <key>', 'only changes of the entry with this key')
    .option('--entry-type <type>', 'type of that key')
    .option('--operation <names>', 'only these changes, separated by commas: created, updated, removed, expired, ...')
    .option('--old-value', 'add the values that were replaced or removed')
    .option('--from <position>', 'now, start (the oldest change that is kept) or a position; default: now')
    .option('--retry-seconds <number>', 'give up when the service has been away for so long; default: never')
    .option('--no-follow', 'end after the last change')
    .option('--events', 'write openings, heartbeats and ends, too')
    .option('--post <url>', 'send the changes to this address as CloudEvents, each at least once')
    .option('--state <file>', 'with --post: file that holds the position of what has been delivered')
    .option('--rejected <file>', 'with --post: file for what the receiver rejects; default: that of --state.rejected')
    .option('--secret-file <file>', 'with --post: file with the secret that signs (environment: SVC_WEBHOOK_SECRET)')
    .option('--batch <number>', 'with --post: changes in one request at most; default: 100')
    .action((caches: string[], options: WatchOptions) => watch(caches, options, invocation));
}

async function watch(caches: readonly string[], options: WatchOptions, invocation: ClientInvocation): Promise<void> {
  const { clock, terminal } = invocation;
  const { entry, entryType, operation, oldValue, follow, events } = options;
  const stream = {
    clock,
    terminal,
    retryMs: retryMsOf(options),
    parameters: {
      ...(caches.length > 0 && { cacheName: caches.join(',') }),
      ...(entry !== undefined && { key: entry }),
      ...(entryType !== undefined && { keyType: entryType }),
      ...(operation !== undefined && { operation }),
      ...(oldValue === true && { oldValue: 'true' }),
      ...(!follow && { follow: 'false' }),
    },
  };
  if (options.post !== undefined) {
    const { deliver, deliveryOf } = await import('../delivery/deliver.ts');
    const delivery = deliveryOf(options, terminal);
    return deliver({ ...stream, client: await connect(options, invocation), ...delivery });
  }
  const unused = (['state', 'rejected', 'secretFile', 'batch'] as const).find((name) => options[name] !== undefined);
  if (unused !== undefined) throw usageError(`--${unused === 'secretFile' ? 'secret-file' : unused} needs --post`);
  const client = await connect(options, invocation);
  for await (const [part, line] of changeStream({ ...stream, client, from: options.from ?? 'now' })) {
    const isShown = part.event === 'change' || part.event === 'gap';
    if (isShown || events === true) terminal.output.write(`${line}\n`);
  }
}

function retryMsOf({ retrySeconds }: WatchOptions): number {
  if (retrySeconds === undefined) return Number.POSITIVE_INFINITY;
  if (!/^\d{1,9}$/.test(retrySeconds)) throw usageError(`--retry-seconds: ${retrySeconds} is not a whole number`);
  return Number(retrySeconds) * 1_000;
}
