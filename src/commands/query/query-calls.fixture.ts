/** A query port that records its calls and returns one fixed page, for the tests of the query commands. */
import { fail } from '../../base/errors.ts';
import type { Column, Queries, QueryKiller, QueryPage, QueryRequest } from '../../grid/grid.ts';
import type { QueryId } from '../../grid/query-id.ts';

export const COLUMNS: readonly Column[] = [
  { fieldName: 'ID', fieldTypeName: 'java.lang.Integer', schemaName: 'PUBLIC', typeName: 'CITY' },
];

const ROWS = { json: '[1],[2]', ndjson: '[1]\n[2]\n', csv: '1\n2\n' } as const;

export interface QueryCalls extends Queries {
  /** Returns the last request, without its signal. */
  last(): unknown;
  closed(): readonly number[];
  /** Returns the ids that were killed, with their killers. */
  killed(): ReadonlyArray<readonly [id: QueryId, killer: QueryKiller]>;
}

/** Returns the port; with `chunks` the rows arrive in chunks, as those of large pages do. */
export function queryCalls(chunks = false): QueryCalls {
  let last: QueryRequest | undefined;
  const closed: number[] = [];
  const killed: Array<readonly [QueryId, QueryKiller]> = [];
  const page = (columns: readonly Column[], format: keyof typeof ROWS): QueryPage => ({
    queryId: 7,
    columns,
    rows: chunks ? inChunks(ROWS[format]) : ROWS[format],
    end: () => ({ last: false, rowCount: 2 }),
  });
  return {
    execute(request) {
      last = request;
      return page(request.kind === 'fields' ? COLUMNS : [], request.format);
    },
    fetch(queryId, _pageSize, _owner, format) {
      if (queryId !== 7) throw fail('QUERY_NOT_FOUND', queryId);
      return page([], format);
    },
    close(queryId) {
      closed.push(queryId);
    },
    kill(id, killer) {
      if (id.number !== 7) throw fail('QUERY_NOT_FOUND', id.number);
      killed.push([id, killer]);
    },
    last() {
      if (last === undefined) return undefined;
      const { signal: _signal, ...request } = last;
      return request;
    },
    closed: () => closed,
    killed: () => killed,
  };
}

async function* inChunks(text: string): AsyncIterable<string> {
  for (const character of text) yield character;
}
