/**
 * Sends recorded requests to one or two services in the order of the recording, and compares the responses: those of
 * two services with each other, those of one with the recorded ones.
 */
import { type Clock, sleep } from '../base/clock.ts';
import { findCommand } from '../commands/registry.ts';
import { type Answer, compareAnswers } from './comparison.ts';
import { bodyWith, cursorOf, type Exchange, parametersOf, type RequestParameters, withParameter } from './exchange.ts';
import { isRead } from './reads.ts';
import type { ReplayReport, Skip } from './replay-report.ts';

/** A service that requests are sent to. */
export interface Target {
  /** Sends a request. Resolves to the service's response; throws if there is none. */
  send(request: Pick<Exchange, 'method' | 'target' | 'body'>): Promise<Answer>;
}

export interface ReplayOptions {
  readonly targets: readonly Target[];
  readonly report: ReplayReport;
  readonly clock: Clock;
  /** How many times as fast as recorded, or 0 for as fast as the responses arrive. */
  readonly speed: number;
  /** Maximum number of requests in flight. */
  readonly concurrency: number;
  /** Whether to send requests that change data. */
  readonly sendsWrites: boolean;
  readonly signal: AbortSignal;
}

interface InFlight {
  /** When the recorded response arrived. */
  readonly recordedEndMs: number;
  readonly done: Promise<void>;
}

interface Sent extends Answer {
  readonly timeMs: number;
}

/** The ids of cursors: those in the recording and, for each target, its own by the recorded ones. */
interface Cursors {
  readonly recorded: Set<string>;
  readonly own: ReadonlyArray<Map<string, string>>;
}

/** Sends all exchanges of a recording. Resolves when all are answered, or when `signal` is aborted. */
export async function replay(exchanges: AsyncIterable<Exchange>, options: ReplayOptions): Promise<void> {
  const { clock, speed, concurrency, signal, report } = options;
  const startMs = clock.monotonicMs();
  const inFlight = new Set<InFlight>();
  const cursors: Cursors = { recorded: new Set(), own: options.targets.map(() => new Map()) };
  for await (const exchange of exchanges) {
    if (signal.aborted) break;
    const request = parametersOf(exchange);
    const skip = reasonToSkip(exchange, request, options.sendsWrites);
    if (skip !== undefined) {
      report.skipped(request.cmd, skip);
      continue;
    }
    if (speed > 0) {
      const waitMs = exchange.atMs / speed - (clock.monotonicMs() - startMs);
      if (waitMs > 0) await sleep(clock, waitMs);
      else report.delayed(-waitMs);
    }
    // The request may depend on earlier responses, so those must have arrived here as well.
    await Promise.all([...inFlight].filter((each) => each.recordedEndMs <= exchange.atMs).map(({ done }) => done));
    while (inFlight.size >= concurrency) await Promise.race([...inFlight].map(({ done }) => done));
    const entry: InFlight = {
      recordedEndMs: exchange.atMs + exchange.answer.timeMs,
      done: exchanged(exchange, request, cursors, options).finally(() => inFlight.delete(entry)),
    };
    inFlight.add(entry);
  }
  await Promise.all([...inFlight].map(({ done }) => done));
}

/** Returns why a request cannot or must not be sent. */
function reasonToSkip(exchange: Exchange, request: RequestParameters, sendsWrites: boolean): Skip | undefined {
  if (exchange.isIncomplete === true) return 'incomplete';
  const command = findCommand(request.cmd);
  if (command?.group === 'user') return command.access === 'read' ? 'login' : 'secret';
  return sendsWrites || isRead(request) ? undefined : 'write';
}

async function exchanged(
  exchange: Exchange,
  request: RequestParameters,
  cursors: Cursors,
  { targets, report, clock }: ReplayOptions,
): Promise<void> {
  const command = findCommand(request.cmd);
  const cursor = command?.cursor;
  const id = cursor === undefined ? undefined : request.params.get(cursor);
  const send = async (target: Target, index: number): Promise<Sent | Error> => {
    const own = id === undefined ? undefined : cursors.own[index]?.get(id);
    const sent = cursor === undefined || own === undefined ? exchange : withCursor(exchange, cursor, own);
    const sentMs = clock.monotonicMs();
    try {
      const answer = await target.send(sent);
      rememberCursor(exchange, answer.text, cursors.own[index]);
      return { ...answer, timeMs: clock.monotonicMs() - sentMs };
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  };
  if (id !== undefined && cursors.recorded.has(id) && cursors.own.some((known) => !known.has(id))) {
    report.skipped(request.cmd, 'cursor');
    return;
  }
  if (exchange.answer.cursor !== undefined) cursors.recorded.add(exchange.answer.cursor);
  const answers = await Promise.all(targets.map(send));
  const times = answers.map((answer) => (answer instanceof Error ? undefined : answer.timeMs));
  const failed = answers.findIndex((answer) => answer instanceof Error);
  const failure = answers[failed];
  if (failure instanceof Error) {
    report.unanswered(request.cmd, exchange.answer.timeMs, times, failed, failure.message);
    return;
  }
  const { status, text } = exchange.answer;
  const recorded = text === undefined ? undefined : { status, text };
  const [left, right] = answers.length > 1 ? answers : [recorded, answers[0]];
  const isCompared = left !== undefined && right !== undefined && !(left instanceof Error) && !(right instanceof Error);
  const sql = request.params.get('qry');
  const difference = isCompared ? compareAnswers(command, sql, left, right) : undefined;
  report.answered({ exchange, request, times, isCompared, difference });
}

/** Records which cursor of the target corresponds to the recorded one. */
function rememberCursor({ answer }: Exchange, text: string, known: Map<string, string> | undefined): void {
  const own = answer.cursor === undefined ? undefined : cursorOf(text)?.id;
  if (answer.cursor !== undefined && own !== undefined) known?.set(answer.cursor, own);
}

function withCursor(exchange: Exchange, name: string, id: string): Exchange {
  const inQuery = new URLSearchParams(exchange.target.split('?')[1] ?? '').has(name);
  if (inQuery) return { ...exchange, target: withParameter(exchange.target, name, id) };
  return exchange.body === undefined ? exchange : { ...exchange, body: bodyWith(exchange.body, name, id) };
}
