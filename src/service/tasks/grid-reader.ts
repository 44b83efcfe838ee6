/** Executes the grid requests of a task process, and closes cursors that the process leaves open. */
import type { Grid, QueryPage } from '../../grid/grid.ts';
import type { GridPage, GridRequest } from './task-messages.ts';

/** Maximum number of rows per message: few messages for long results, and a bounded size of each. */
const PAGE_ROWS = 1_000;

/** Reads the grid for one step of a task. Cursors belong to the task's user. */
export class GridReader {
  readonly #grid: Grid;
  readonly #user: string;
  readonly #open = new Set<number>();

  constructor(grid: Grid, user: string) {
    this.#grid = grid;
    this.#user = user;
  }

  /** Returns the response to a request. Rejects as the grid does. */
  async respond(request: GridRequest): Promise<unknown> {
    const { caches, port, queries } = this.#grid;
    const query = { owner: this.#user, pageSize: PAGE_ROWS, format: 'json' } as const;
    switch (request.type) {
      case 'names':
        return (await caches.list()).map(({ name }) => name);
      case 'size':
        return port.call({ kind: 'size', cache: request.cache }, {});
      case 'get':
        return port.call({ kind: 'get', cache: request.cache, key: request.key }, {});
      case 'scan':
        return this.#page(
          await queries.execute({ ...query, kind: 'scan', cache: request.cache, className: undefined }),
        );
      case 'query': {
        const { cache, sql, args } = request;
        return this.#page(await queries.execute({ ...query, kind: 'fields', cache, sql, args }));
      }
      case 'fetch':
        return this.#page(await queries.fetch(request.queryId, PAGE_ROWS, this.#user, 'json'));
    }
  }

  /** Closes the open cursors. */
  async close(): Promise<void> {
    for (const queryId of this.#open) await this.#grid.queries.close(queryId, this.#user);
    this.#open.clear();
  }

  async #page(page: QueryPage): Promise<GridPage> {
    let rows = '';
    if (typeof page.rows === 'string') rows = page.rows;
    else for await (const chunk of page.rows) rows += chunk;
    const { last } = page.end();
    if (last) this.#open.delete(page.queryId);
    else this.#open.add(page.queryId);
    return { queryId: page.queryId, rows, last };
  }
}
