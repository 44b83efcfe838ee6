/**
 * Generates statements whose names hide one another: common tables, aliases and columns that are called like tables,
 * views and schemas, at every depth. Every query has one column, V, so that most statements are valid.
 */
import { Random } from '../simulation/random.ts';

const OBJECTS = ['OWN', 'SECRET', '"own"', '"secret"', 'PEEK', 'MINE', 'HIDDEN', 'DUAL'] as const;
const SCHEMAS = ['PUBLIC', 'OTHER', '"PUBLIC"', 'SYS'] as const;
const INVENTED = ['A', 'B', '"a"', 'PUBLIC', 'OTHER', 'SYSTEM_RANGE', 'V', 'ENTRIES'] as const;
/** Caches, one of which has a table in another schema, and names that no cache has. */
const CACHES = ['SQL_PUBLIC_OWN', 'SQL_PUBLIC_SECRET', 'SQL_PUBLIC_secret', 'SQL_OTHER_OWN', 'OWN', 'PUBLIC'] as const;

/** Queries in common tables, conditions and tables are at most this deep. */
const MAX_DEPTH = 2;

export class ShadowingStatements {
  readonly #random: Random;
  /** Common tables that were declared before the current place, whether they are visible there or not. */
  #declared: string[] = [];

  constructor(seed: number) {
    this.#random = new Random(seed);
  }

  next(): string {
    this.#declared = [];
    const kind = this.#random.below(20);
    if (kind < 12) return this.#query(0);
    if (kind === 12) return `EXPLAIN ${this.#query(0)}`;
    // A change may have common tables in front of it.
    const before = this.#chance(3) ? this.#with(1) : '';
    return before + this.#change(kind);
  }

  #change(kind: number): string {
    if (kind < 15) {
      const target = this.#chance(4) ? this.#table() : 'OWN';
      return `${this.#one('INSERT', 'MERGE')} INTO ${target}(ID, V) ${this.#rows()}`;
    }
    if (kind < 17) return `UPDATE OWN${this.#alias()} SET V = (${this.#query(1)}) ${this.#where(1)}`;
    if (kind < 19) return `DELETE FROM OWN ${this.#where(1)}`;
    const matched = this.#one('WHEN MATCHED THEN UPDATE SET V = S.V', 'WHEN MATCHED THEN DELETE');
    return `MERGE INTO OWN USING ${this.#source(1)} S ON OWN.V = S.V ${matched}`;
  }

  #one<const T>(...items: readonly [T, ...T[]]): T {
    return this.#random.pick(items);
  }

  /** One time of `times`. */
  #chance(times: number): boolean {
    return this.#random.below(times) === 0;
  }

  /** A query for the columns ID and V of an INSERT. */
  #rows(): string {
    const outer = this.#chance(2) ? this.#with(1) : '';
    return `${outer}SELECT V + 100, V FROM ${this.#source(1)} X`;
  }

  #query(depth: number): string {
    const before = this.#declared.length;
    const tables = depth < MAX_DEPTH && this.#chance(depth + 1) ? this.#with(depth) : '';
    const end = this.#chance(6) ? this.#one(' ORDER BY V', ' LIMIT 2', ' ORDER BY 1 LIMIT 3 OFFSET 1') : '';
    const text = `${tables}${this.#body(depth)}${end}`;
    // Names that are out of scope are still used at times: they must not be found.
    if (!this.#chance(5)) this.#declared.length = before;
    return text;
  }

  #with(depth: number): string {
    const tables = Array.from({ length: this.#one(1, 1, 1, 2, 3) }, () => {
      const name = this.#one(...OBJECTS, ...INVENTED);
      const columns = this.#chance(3) ? '(V)' : '';
      const isKnown = this.#chance(2);
      if (isKnown) this.#declared.push(name);
      const text = `${name}${columns} AS (${this.#query(depth + 1)})`;
      if (!isKnown) this.#declared.push(name);
      return text;
    });
    return `WITH ${this.#one('', 'RECURSIVE ')}${tables.join(', ')} `;
  }

  #body(depth: number): string {
    if (this.#random.below(10) < 7 || depth >= MAX_DEPTH) return this.#select(depth);
    const operator = this.#one('UNION', 'UNION ALL', 'UNION ALL', 'EXCEPT', 'MINUS', 'INTERSECT');
    const right = this.#chance(5) ? `(${this.#query(depth + 1)})` : this.#select(depth + 1);
    return `${this.#chance(4) ? `(${this.#body(depth + 1)})` : this.#select(depth)} ${operator} ${right}`;
  }

  #select(depth: number): string {
    const [first, alias] = [this.#source(depth), this.#one('', ' X', ' SECRET', ' OWN', ' AS "own"')];
    const name = alias.trim().replace(/^AS /, '');
    const column = alias === '' || this.#chance(2) ? 'V' : `${name}.V`;
    const form = this.#random.below(12);
    const where = this.#where(depth);
    if (form === 0) return 'VALUES (1)';
    if (form === 1) return `SELECT ${this.#random.below(4)} AS V`;
    if (form === 2) return `SELECT (${this.#query(depth + 1)}) AS V FROM ${first}${alias} ${where}`;
    if (form === 3) return `SELECT Y.V FROM ${first} Y, ${this.#source(depth)} Z ${this.#one('', 'WHERE Y.V = Z.V')}`;
    if (form === 4) {
      const join = this.#one('JOIN', 'LEFT JOIN', 'RIGHT JOIN');
      return `SELECT ${this.#one('Y', 'Z')}.V FROM ${first} Y ${join} ${this.#source(depth)} Z ON Y.V = Z.V`;
    }
    if (form === 5) return `SELECT ${this.#one('MAX(V)', 'MIN(V)', 'COUNT(*)')} AS V FROM ${first}${alias} ${where}`;
    if (form === 6) return `SELECT V + 1 AS V FROM ${first}${alias} WHERE V < 5`;
    if (form === 7) return `FROM ${first}${alias} SELECT V ${where}`;
    return `SELECT ${column} AS V FROM ${first}${alias} ${where}`;
  }

  #where(depth: number): string {
    if (depth >= MAX_DEPTH || !this.#chance(5)) return this.#one('', '', 'WHERE V < 4');
    const condition = this.#one('V IN', 'EXISTS', 'V = ANY', 'V >', 'V NOT IN');
    return `WHERE ${condition} (${this.#query(depth + 1)})`;
  }

  #alias(): string {
    return this.#one('', ' X', ' SECRET');
  }

  /** What follows FROM, without an alias. */
  #source(depth: number): string {
    if (this.#chance(12)) return `(SELECT CAST(_KEY AS INT) AS V FROM "${this.#one(...CACHES)}".ENTRIES)`;
    return depth < MAX_DEPTH && this.#chance(5) ? `(${this.#query(depth + 1)})` : this.#table();
  }

  /** Most often a common table, or the table that may be read. */
  #table(): string {
    const choice = this.#random.below(20);
    const known = this.#declared[this.#random.below(this.#declared.length)];
    if (choice < 12 && known !== undefined) return this.#chance(6) ? otherCase(known) : known;
    if (choice < 16) return this.#one('OWN', 'OWN', 'own', '"OWN"', 'PUBLIC.OWN');
    const object = this.#one(...OBJECTS, ...INVENTED);
    return choice < 19 ? object : `${this.#one(...SCHEMAS)}.${object}`;
  }
}

/** Returns a name written differently, which may be the same name or a different one. */
function otherCase(name: string): string {
  return name.startsWith('"') ? name.slice(1, -1) : name.toLowerCase();
}
