/** Forwards events of the request pipeline to metrics, audit, health and log. */
import { randomUuid } from '../../base/clock.ts';
import type { ErrorCode } from '../../base/errors.ts';
import { isWriting } from '../../commands/command.ts';
import type { RequestObserver } from '../request.ts';
import type { Audit } from './audit.ts';
import type { CommandTracer } from './command-tracer.ts';
import type { Health } from './health.ts';
import type { Log } from './log.ts';
import type { CountedEvent, Metrics } from './metrics.ts';

export interface ObserverOptions {
  readonly metrics: Metrics;
  readonly audit: Audit;
  readonly log: Log;
  readonly health: Health;
  /** Records commands in traces; undefined if tracing is off. */
  readonly tracer?: CommandTracer | undefined;
  /** Commands that take longer, in ms, are logged. */
  readonly slowMs: number;
  /** The names of all commands, and where the thread records its current one (`WatchedThreads.commandOf`). */
  readonly commands: { readonly names: readonly string[]; readonly present: Int32Array };
}

/** Maximum number of names of ignored parameters that a thread logs; the rest are only counted. */
const LOGGED_NAMES = 100;
/** Parameter names are shorter; a client could send longer ones to fill the log. */
const LOGGED_CHARACTERS = 100;

/** Errors of requests with an idempotency key that were not executed. */
const ONCE_FAILURES: { readonly [C in ErrorCode]?: CountedEvent } = {
  IDEMPOTENCY_KEY_REUSED: 'reused',
  IDEMPOTENCY_KEY_IN_USE: 'inUse',
  IDEMPOTENCY_FULL: 'full',
};

export function createObserver({
  metrics,
  audit,
  log,
  health,
  slowMs,
  commands,
  tracer,
}: ObserverOptions): RequestObserver {
  const logged = new Set<string>();
  const { present } = commands;
  const indexes = new Map(commands.names.map((name, index) => [name, index]));
  const leave = (): void => {
    const value = present[0] ?? 0;
    if (value > 0) present[0] = -value;
  };
  return {
    begin(command) {
      metrics.begin();
      present[0] = (indexes.get(command.name) ?? 0) + 1;
    },

    waits: leave,

    end(command, outcome, durationMs, caller, request) {
      leave();
      metrics.end(command.name, outcome.successStatus, durationMs);
      tracer?.ended(command, outcome, durationMs, caller, request);
      if (command.audit !== undefined || outcome.successStatus !== 0) audit.ended(command, outcome, caller, request);
      const once = outcome.replayed === true ? 'replayed' : outcome.failure && ONCE_FAILURES[outcome.failure.code];
      if (once !== undefined) metrics.count(once);
      if (outcome.error !== null) health.failed(outcome.error, isWriting(command));
      if (durationMs >= slowMs && command.body !== 'stream') {
        metrics.count(command.group === 'query' ? 'statement' : 'other');
        log.warn('A command was slow', {
          command: command.name,
          durationMs: Math.round(durationMs),
          user: caller.user,
        });
      }
    },

    ignored(command, name) {
      metrics.count('ignored');
      if (logged.size >= LOGGED_NAMES || logged.has(name)) return;
      logged.add(name);
      log.warn('A parameter was ignored', { parameter: name.slice(0, LOGGED_CHARACTERS), command });
    },

    rejected: (outcome, request, caller) => audit.rejected(outcome, request, caller),

    unexpected(command, error) {
      const id = randomUuid();
      const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
      log.error('A command failed unexpectedly', { id, command: command.name, detail });
      return id;
    },
  };
}
