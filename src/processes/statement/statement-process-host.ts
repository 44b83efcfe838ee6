/**
 * Where statements run: processes that run statements that read, and the process that runs long changes, imports and
 * definitions.
 */
import { ProcessPort, sendTo } from '../../base/process-port.ts';
import { processorTicksOf } from '../../base/processor-ticks.ts';
import type { ChannelPort } from '../../base/rpc-channel.ts';
import type { SharedArea } from '../../base/shared-areas.ts';
import { PRODUCT_VERSION } from '../../configuration/version.ts';
import { WRITING_PROCESS } from '../../engines/embedded/shared/shared-query-state.ts';
import type { StatementServerStart } from '../../engines/embedded/statement-process/statement-process.ts';
import type { Log } from '../../service/monitoring/log.ts';
import { ownCommand } from '../../wiring/launch.ts';
import { STATEMENT_PROCESS_ARGUMENT } from './statement-process-argument.ts';

/** What a statement process is started with. */
export interface StatementProcessSetup {
  readonly type: 'start';
  readonly start: StatementServerStart;
  readonly argv: readonly string[];
  /** See `Clock.shift`. */
  readonly clockShift: SharedArea | undefined;
}

/** The first message to a process. */
export interface StatementProcessStart extends StatementProcessSetup {
  /** Version of the program that started it: after an upgrade, the files of another one may be there. */
  readonly version: string;
  /** Path of the socket on which it serves clients. */
  readonly socket: string;
  /** Memory that it may take beside that of its start, in bytes; 0: any. */
  readonly memoryBytes: number;
}

/** Why a host has ended by itself. */
export interface HostEnd {
  /** Whether it ran out of memory, as far as that can be told. */
  readonly isOutOfMemory: boolean;
  readonly detail: string;
}

/** A process that runs statements. */
export interface StatementProcessHost {
  /** The port to it for the process that owns the data. */
  readonly port: ChannelPort;
  readonly processId: number;
  begin(message: StatementProcessSetup): void;
  /** Returns how much it has used a processor; undefined: the system does not tell. */
  processorTicks(): string | undefined;
  /** Ends it at once; resolves when it no longer has any file open. */
  end(): Promise<void>;
}

export interface StatementProcessOptions {
  /** Path of the socket on which it serves clients. */
  readonly socket: string;
  readonly memoryBytes: number;
  readonly log: Log;
}

/**
 * Memory by which the runtime of a process paces its collections of garbage. By that of the machine, it would grow to
 * hundreds of megabytes before it collects anything.
 */
const HEAP_BYTES = 256 * 1024 * 1024;

/** Lines of output of a process that failed, in characters. */
const OUTPUT_CHARACTERS = 2_000;

/** Starts a statement process. */
export function startProcess(
  index: number,
  { socket, memoryBytes, log }: StatementProcessOptions,
  onEnd: (end: HostEnd) => void,
): StatementProcessHost {
  const port = new ProcessPort((message) => sendTo(child, message));
  // The last word is for those who list processes.
  const role = index === WRITING_PROCESS ? 'changes' : 'reads';
  const child = Bun.spawn([...ownCommand(STATEMENT_PROCESS_ARGUMENT), role], {
    // It loads the configuration as a process does, from the same environment.
    env: {
      ...process.env,
      MIMALLOC_ARENA_EAGER_COMMIT: '0',
      BUN_ENABLE_CRASH_REPORTING: '0',
      BUN_JSC_forceRAMSize: String(HEAP_BYTES),
    },
    stdin: 'ignore',
    stdout: 'inherit',
    stderr: 'pipe',
    serialization: 'advanced',
    ipc: port.receive,
  });
  const output = lastOutput(child.stderr, log, index);
  void child.exited.then(async () => {
    const { signalCode, exitCode } = child;
    onEnd({
      isOutOfMemory: signalCode === 'SIGABRT',
      detail: signalCode === null ? `exit code ${exitCode}` : String(signalCode),
    });
    const text = await output;
    if (text !== '') log.warn('Output of a statement process', { process: index, text });
  });
  return {
    port,
    processId: child.pid,
    processorTicks: () => processorTicksOf(child.pid),
    begin(start) {
      const message: StatementProcessStart = { ...start, version: PRODUCT_VERSION, socket, memoryBytes };
      port.postMessage(message);
    },
    // Never by a signal that it could handle: closing its files would write the log back.
    async end() {
      child.kill('SIGKILL');
      await child.exited;
    },
  };
}

/** Returns the end of what a process writes to its standard error, when it has ended. */
async function lastOutput(stream: ReadableStream<Uint8Array>, log: Log, index: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const bytes of stream) text = (text + decoder.decode(bytes, { stream: true })).slice(-OUTPUT_CHARACTERS);
  } catch (error) {
    log.debug('The output of a statement process could not be read', { process: index, detail: String(error) });
  }
  return text.trim();
}
