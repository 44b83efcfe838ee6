/** Manages the users of a cluster with authentication through its own SQL statements. */
import { GridError, gridError } from '../../../base/errors.ts';
import type { Grid, UserDirectory } from '../../../grid/grid.ts';
import { openConnection } from '../connections/connection.ts';
import type { Pool } from '../connections/pool.ts';
import { QUERY } from '../operations/query-operations.ts';
import { NodeError, toGridError, withoutClassName } from '../protocol/status.ts';

export class ClusterUsers implements UserDirectory {
  readonly #pool: Pool;
  readonly #openAs: (name: string, password: string) => Promise<Grid>;

  constructor(pool: Pool, openAs: (name: string, password: string) => Promise<Grid>) {
    this.#pool = pool;
    this.#openAs = openAs;
  }

  async verify(name: string, password: string): Promise<boolean> {
    const settings = { ...this.#pool.settings, credentials: { user: name, password } };
    try {
      const connection = await this.#pool.openAtNode((endpoint) => openConnection(endpoint, settings));
      connection.close('the password was checked');
      return true;
    } catch (error) {
      if (error instanceof GridError && error.code === 'CREDENTIALS_WRONG') return false;
      throw error;
    }
  }

  async add(name: string, password: string): Promise<void> {
    await this.#run(`create user ${identifier(name)} with password ${literal(password)}`, name);
  }

  async update(name: string, password: string): Promise<void> {
    await this.#run(`alter user ${identifier(name)} with password ${literal(password)}`, name);
  }

  async remove(name: string): Promise<void> {
    await this.#run(`drop user ${identifier(name)}`, name);
  }

  open(name: string, password: string): Promise<Grid> {
    return this.#openAs(name, password);
  }

  async #run(sql: string, name: string): Promise<void> {
    const statement = { schema: 'PUBLIC', sql, args: [], pageSize: 1, timeoutMs: 0, distributedJoins: false };
    try {
      await this.#pool.call(QUERY.statement, statement);
    } catch (error) {
      throw userError(error, name);
    }
  }
}

/** Quotes a name, which preserves its letter case. */
function identifier(name: string): string {
  if (name === '') throw gridError('USER_NAME_EMPTY');
  if (/["\u0000]/.test(name)) throw gridError('USER_NAME_CHARACTER', name);
  return `"${name}"`;
}

function literal(password: string): string {
  if (password === '') throw gridError('PASSWORD_EMPTY');
  return `'${password.replaceAll("'", "''")}'`;
}

function userError(error: unknown, name: string): unknown {
  if (!(error instanceof NodeError)) return error;
  if (/User already exists/.test(error.message)) return gridError('USER_EXISTS', name);
  if (/User doesn't exist/.test(error.message)) return gridError('USER_NOT_FOUND', name);
  if (/cluster is inactive|read-only mode/.test(error.message)) return toGridError(error, {});
  const inner = /err=(.*?)\]?$/s.exec(error.message)?.[1] ?? withoutClassName(error.message);
  return gridError('USER_OPERATION', inner.replace(/^[0-9A-Z]{5}: /, ''));
}
