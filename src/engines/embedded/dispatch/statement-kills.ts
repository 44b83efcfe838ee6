/** Ends statements, scans and cursors in any process on demand: KILL QUERY and the command qrykill. */
import { type Clock, sleep } from '../../../base/clock.ts';
import { gridError } from '../../../base/errors.ts';
import { sqlFailure } from '../../../base/sql-errors.ts';
import type { QueryKiller } from '../../../grid/grid.ts';
import { parseQueryId, type QueryId } from '../../../grid/query-id.ts';
import { NO_PROCESS } from '../shared/running-statements.ts';
import type { SharedQueryState } from '../shared/shared-query-state.ts';
import { statementFailure } from '../shared/sql-failures.ts';
import type { StatementProcesses } from '../shared/statement-protocol.ts';

export interface StatementKillsOptions {
  readonly queryState: SharedQueryState;
  readonly processes: StatementProcesses;
  readonly clock: Clock;
  /** This node's id, which ids of SYS.SQL_QUERIES contain. */
  readonly nodeId: string;
}

/** How long a kill waits until the statement is gone, or an idle cursor is closed, and how often it checks. */
const GONE_MS = 2_000;
const IDLE_GONE_MS = 250;
const LOOK_MS = 5;

export class StatementKills {
  readonly #options: StatementKillsOptions;

  constructor(options: StatementKillsOptions) {
    this.#options = options;
  }

  /**
   * Ends a statement, scan or cursor and resolves when it is gone, at the latest after {@link GONE_MS}. An idle cursor
   * whose process runs another statement is gone for its clients after {@link IDLE_GONE_MS}; the process closes it, and
   * frees its snapshot, once it reads messages. Throws QUERY_NOT_FOUND, even for one that the killer may not end.
   */
  async kill({ nodeId, number }: QueryId, { owner, isAdministrator }: QueryKiller): Promise<void> {
    const { queryState, processes, clock } = this.#options;
    const found =
      nodeId === undefined || nodeId === this.#options.nodeId ? queryState.statements.find(number) : undefined;
    if (found === undefined || (!isAdministrator && found.statement.owner !== owner)) {
      throw gridError('QUERY_NOT_FOUND', number);
    }
    const { entry, statement } = found;
    if (entry.kill()) queryState.countEnd('killed');
    // Read after the mark: a page that begins now sees either the mark or the cancellation of its ticket.
    const { ticket, processIndex: index } = entry;
    if (!entry.isOpen) return;
    queryState.cancel(ticket);
    if (index !== NO_PROCESS) {
      // An idle cursor is closed by message. The process may have ended in the meantime, and its cursors with it.
      const request = { queryId: statement.id, owner: statement.owner };
      processes
        .channel(index)
        .then((channel) => channel.call('close', request))
        .catch(() => {});
    }
    const isIdle = statement.state === 'idle';
    const untilMs = clock.monotonicMs() + (isIdle ? IDLE_GONE_MS : GONE_MS);
    while (entry.isOpen && clock.monotonicMs() < untilMs) await sleep(clock, LOOK_MS);
    if (isIdle) entry.end();
  }

  /** Runs KILL QUERY. Throws SQL with Ignite's texts. */
  async killBySql(sql: string, id: string, killer: QueryKiller): Promise<void> {
    const parsed = parseQueryId(id);
    const { nodeId } = this.#options;
    if (parsed?.nodeId === undefined) throw statementFailure(sqlFailure('KILL_QUERY_ID'), sql);
    if (parsed.nodeId !== nodeId) {
      throw statementFailure(sqlFailure('KILL_QUERY_NODE', parsed.nodeId, parsed.number), sql);
    }
    try {
      await this.kill(parsed, killer);
    } catch {
      throw statementFailure(sqlFailure('KILL_QUERY_NOT_FOUND', nodeId, parsed.number), sql);
    }
  }
}
