/**
 * Starts the processes that run statements: those for read-only statements, and the one for long changes, imports and
 * definitions.
 */
import { ProcessPort, sendTo } from '../../base/process-port.ts';
import { readProcessStat } from '../../base/process-stat.ts';
import type { ChannelPort } from '../../base/rpc-channel.ts';
import type { SharedArea } from '../../base/shared-areas.ts';
import { PRODUCT_VERSION } from '../../configuration/version.ts';
import { WRITING_PROCESS } from '../../engines/embedded/shared/shared-query-state.ts';
import type { StatementServerStart } from '../../engines/embedded/statement-process/statement-process.ts';
import type { Log } from '../../service/monitoring/log.ts';
import { ownCommand } from '../../wiring/launch.ts';
import { STATEMENT_PROCESS_ARGUMENT } from './statement-process-argument.ts';

/** The parameters with which a statement process is started. */
export interface StatementProcessSetup {
  readonly type: 'start';
  readonly start: StatementServerStart;
  readonly argv: readonly string[];
  /** See `Clock.shift`. */
  readonly clockShift: SharedArea | undefined;
}

/** The first message to a process. */
export interface StatementProcessStart extends StatementProcessSetup {
  /** Version of the program that started it: after an upgrade, the files may belong to another version. */
  readonly version: string;
  /** Path of the socket on which it serves clients. */
  readonly socket: string;
  /** Memory that it may take beyond its startup memory, in bytes, or 0 for any amount. */
  readonly memoryBytes: number;
}

/** Why a host has ended by itself. */
export interface HostEnd {
  /** Whether it ran out of memory, as far as can be determined. */
  readonly isOutOfMemory: boolean;
  readonly detail: string;
}

/** A process that runs statements. */
export interface StatementProcessHost {
  /** The port to it for the process that owns the data. */
  readonly port: ChannelPort;
  readonly processId: number;
  begin(message: StatementProcessSetup): void;
  /** Returns its processor time, or undefined if the system does not report it. */
  processorTicks(): string | undefined;
  /** Kills it; resolves when it no longer has any file open. */
  end(): Promise<void>;
}

export interface StatementProcessOptions {
  /** Path of the socket on which it serves clients. */
  readonly socket: string;
  readonly memoryBytes: number;
  readonly log: Log;
}

/**
 * Memory by which a process's runtime paces its garbage collections. By the machine's memory, it would grow to hundreds
 * of megabytes before it collects anything.
 */
const HEAP_BYTES = 256 * 1024 * 1024;

/** Maximum number of characters of output kept from a failed process. */
const OUTPUT_CHARACTERS = 2_000;

/** Starts a statement process. */
export function startProcess(
  index: number,
  { socket, memoryBytes, log }: StatementProcessOptions,
  onEnd: (end: HostEnd) => void,
): StatementProcessHost {
  const port = new ProcessPort((message) => sendTo(child, message));
  // The last word is for people who list processes.
  const role = index === WRITING_PROCESS ? 'changes' : 'reads';
  const child = Bun.spawn([...ownCommand(STATEMENT_PROCESS_ARGUMENT), role], {
    // It loads the configuration itself, from the same environment.
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
    processorTicks: () => readProcessStat(child.pid)?.processorTicks,
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

/** Returns the end of a process's standard error output, once it has ended. */
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
