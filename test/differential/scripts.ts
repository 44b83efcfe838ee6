/**
 * Runs SQL scripts on an Ignite node and on svc side by side and compares what both answer:
 *
 *   npm run test:scripts -- --reference http://127.0.0.1:38280/ignite FOLDER...
 *
 * A script is a file `*.sql`. A statement ends with a line that ends in `;`. Lines that begin with `>` (expected
 * results), `--` or `@` are skipped, so that scripts in the format of H2's own tests can be read. Prints for each
 * folder how many of the statements that Ignite accepts svc answers in the same way. `--report FILE` writes the
 * differences as JSON lines; `--keys` adds a primary key to tables without one, so that Ignite accepts more;
 * `--svc URL` uses a running service with `compatibility=reference` instead of starting one. Some statements damage a
 * node: restart it.
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { startService } from '../system/service-process.ts';
import { metadataReasonOf, reasonOf, type ScriptDifference } from './script-explanations.ts';
import { type Outcome, openIgniteTarget, type Target } from './targets.ts';

interface Count {
  statements: number;
  accepted: number;
  equal: number;
  explained: number;
  names: number;
  /** Statements that only svc accepts. */
  further: number;
}

interface Statement {
  readonly sql: string;
  readonly line: number;
}

/** Functions whose values depend on the time, on chance or on the node. */
const VOLATILE_NAMES =
  'now current_time current_timestamp current_date curdate curtime sysdate systimestamp systime today localtime ' +
  'localtimestamp rand random secure_rand random_uuid uuid sys_guid newid memory_free memory_used session_id ' +
  'lock_timeout h2version database database_path identity scope_identity transaction_id user current_user';
const VOLATILE = new RegExp(`\\b(${VOLATILE_NAMES.replaceAll(' ', '|')})\\b`, 'i');

/** Statements that break the node: later ones fail with internal errors until it is restarted. */
const BREAKING = /^\s*merge\b[\s\S]*\busing\b/i;
/** The text of an internal error, after which the node may be broken. */
const INTERNAL_ERROR = /NullPointerException|AssertionError|ClassCastException|IndexOutOfBounds|no answer/;

/** Plans are worded differently (known difference 53). */
const PLAN = /^\s*explain\b/i;

export function statementsOf(text: string): Statement[] {
  const statements: Statement[] = [];
  let lines: string[] = [];
  let first = 0;
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    const isSkipped = /^\s*(>|--|@|\/\/)/.test(line) || (lines.length === 0 && line.trim() === '');
    if (isSkipped) continue;
    if (lines.length === 0) first = at + 1;
    lines.push(line);
    if (!line.trimEnd().endsWith(';')) continue;
    const sql = lines.join('\n').trim().replace(/;$/, '').trim();
    lines = [];
    if (sql !== '') statements.push({ sql, line: first });
  }
  return statements;
}

/**
 * Returns the statement with a primary key, its first column, if it creates a table without one. Ignite rejects such a
 * table, and with it most of what follows in scripts of other databases.
 */
export function withKey(sql: string): string {
  const [head, column] =
    /^create\s+(?:(?:memory|cached)\s+)?table\s+(?:if\s+not\s+exists\s+)?[\w."]+\s*\(\s*("[^"]*"|\w+)/i.exec(sql) ?? [];
  if (head === undefined || column === undefined || /\bprimary\s+key\b|\bas\s+(select|values)\b/i.test(sql)) return sql;
  const end = sql.lastIndexOf(')');
  return `${sql.slice(0, end).replace(/^create\s+(memory|cached)\s+/i, 'create ')}, primary key (${column}))`;
}

function scriptsIn(folder: string): string[] {
  if (statSync(folder).isFile()) return [folder];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => join(folder, name));
}

/** Drops the tables, views and indexes that a script has left. */
async function clean(target: Target): Promise<void> {
  for (const [kind, view] of [
    ['VIEW', 'SYS.VIEWS'],
    ['TABLE', 'SYS.TABLES'],
  ] as const) {
    const column = kind === 'VIEW' ? "NAME FROM SYS.VIEWS WHERE SCHEMA = 'PUBLIC'" : undefined;
    const listed = await target.run(`SELECT ${column ?? `TABLE_NAME FROM ${view} WHERE SCHEMA_NAME = 'PUBLIC'`}`);
    if (listed.kind === 'rejected') continue;
    for (const [name = '""'] of listed.rows) {
      await target.run(`DROP ${kind} IF EXISTS "${String(JSON.parse(name)).replaceAll('"', '""')}"`);
    }
  }
}

/** Returns the target with `CATALOG` instead of the name of its catalog, which is the id of a node. */
async function withoutCatalog(target: Target): Promise<Target> {
  const named = await target.run('SELECT CATALOG_NAME FROM INFORMATION_SCHEMA.CATALOGS');
  const name = named.kind === 'rows' ? String(JSON.parse(named.rows[0]?.[0] ?? '""')) : '';
  if (name === '') throw new Error(`${target.name} names no catalog`);
  return {
    ...target,
    async run(statement): Promise<Outcome> {
      const outcome = await target.run(statement);
      if (outcome.kind === 'rejected') return outcome;
      return { ...outcome, rows: outcome.rows.map((row) => row.map((value) => value.replaceAll(name, 'CATALOG'))) };
    },
  };
}

/** Runs a statement; a target that does not answer in time has rejected it. */
async function answerOf(target: Target, sql: string): Promise<Outcome> {
  try {
    return await target.run(sql);
  } catch (error) {
    return { kind: 'rejected', text: `no answer: ${String(error)}` };
  }
}

function rowsText(outcome: Outcome & { readonly kind: 'rows' }, ordered: boolean): string {
  const lines = outcome.rows.map((row) => `[${row.join(',')}]`);
  return (ordered ? lines : lines.toSorted()).join(' ');
}

function compare(sql: string, ignite: Outcome, svc: Outcome): ScriptDifference['what'] | undefined {
  if (ignite.kind === 'rejected') return undefined;
  if (svc.kind === 'rejected') return 'rejected';
  if (ignite.types.join() !== svc.types.join()) return 'types';
  const ordered = /\border\s+by\b/i.test(sql);
  if (!VOLATILE.test(sql) && !PLAN.test(sql) && rowsText(ignite, ordered) !== rowsText(svc, ordered)) return 'rows';
  return ignite.names.join() === svc.names.join() ? undefined : 'names';
}

function shown(outcome: Outcome): string {
  if (outcome.kind === 'rejected') return outcome.text;
  return `${outcome.names.join(',')} ${outcome.types.join(',')} ${rowsText(outcome, true)}`;
}

class Run {
  readonly counts = new Map<string, Count>();
  readonly differences: ScriptDifference[] = [];
  readonly further: Array<{ readonly script: string; readonly sql: string; readonly ignite: string }> = [];
  readonly #ignite: Target;
  readonly #svc: Target;
  readonly #addsKeys: boolean;

  constructor(ignite: Target, svc: Target, addsKeys: boolean) {
    this.#ignite = ignite;
    this.#svc = svc;
    this.#addsKeys = addsKeys;
  }

  async script(folder: string, path: string): Promise<void> {
    const script = relative(dirname(folder), path);
    const count = this.#countOf(dirname(script));
    await Promise.all([clean(this.#ignite), clean(this.#svc)]);
    for (const { sql: written, line } of statementsOf(readFileSync(path, 'utf8'))) {
      if (BREAKING.test(written)) continue;
      const sql = this.#addsKeys ? withKey(written) : written;
      const [ignite, svc] = await Promise.all([answerOf(this.#ignite, sql), answerOf(this.#svc, sql)]);
      count.statements++;
      if (ignite.kind === 'rejected') {
        if (INTERNAL_ERROR.test(ignite.text)) await this.#checkNode(`${script}:${line}: ${sql}`);
        if (svc.kind === 'rejected') continue;
        count.further++;
        this.further.push({ script: `${script}:${line}`, sql, ignite: ignite.text });
        continue;
      }
      count.accepted++;
      const what = compare(sql, ignite, svc);
      if (what === undefined || what === 'names') count.equal++;
      if (what === undefined) {
        count.names++;
        continue;
      }
      const difference: ScriptDifference = { script, line, sql, what, ignite: shown(ignite), svc: shown(svc) };
      const ofRows = what === 'rows' ? metadataReasonOf(sql, ignite, svc) : undefined;
      const reason = what === 'names' ? undefined : (reasonOf(difference) ?? ofRows);
      if (reason !== undefined) count.explained++;
      this.differences.push({ ...difference, ...(reason !== undefined && { reason }) });
    }
  }

  /** Throws when the node is broken: later statements would not count as accepted. */
  async #checkNode(after: string): Promise<void> {
    for (const sql of ['SELECT ABS(-1)', 'SELECT COUNT(*) FROM SYS.TABLES']) {
      const answer = await answerOf(this.#ignite, sql);
      if (answer.kind === 'rejected') throw new Error(`a statement has broken the node; restart it\n${after}`);
    }
  }

  #countOf(folder: string): Count {
    let count = this.counts.get(folder);
    if (count === undefined) {
      count = { statements: 0, accepted: 0, equal: 0, explained: 0, names: 0, further: 0 };
      this.counts.set(folder, count);
    }
    return count;
  }
}

function percent(part: number, whole: number): string {
  return whole === 0 ? '-' : `${((100 * part) / whole).toFixed(1)} %`;
}

function print(counts: ReadonlyMap<string, Count>): void {
  const total: Count = { statements: 0, accepted: 0, equal: 0, explained: 0, names: 0, further: 0 };
  const lines = [
    ['folder', 'statements', 'accepted', 'equal', '', 'or explained', '', 'with names', 'only svc accepts'],
  ];
  const add = (name: string, count: Count): void => {
    const { statements, accepted, equal, explained, names, further } = count;
    const all = equal + explained;
    const shares = [equal, percent(equal, accepted), all, percent(all, accepted), percent(names, accepted)];
    lines.push([name, ...[statements, accepted, ...shares, further].map(String)]);
  };
  for (const [folder, count] of counts) {
    add(folder, count);
    for (const key of ['statements', 'accepted', 'equal', 'explained', 'names', 'further'] as const)
      total[key] += count[key];
  }
  add('total', total);
  const widths = lines[0]?.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0))) ?? [];
  for (const line of lines)
    process.stdout.write(`${line.map((text, at) => text.padEnd(widths[at] ?? 0)).join('  ')}\n`);
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    options: {
      reference: { type: 'string' },
      svc: { type: 'string' },
      report: { type: 'string' },
      keys: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  });
  const ignite = await openIgniteTarget(values.reference ?? '');
  if (ignite === undefined || positionals.length === 0) throw new Error('usage: --reference URL FOLDER...');
  await using service =
    values.svc === undefined ? await startService({ env: { SVC_COMPATIBILITY: 'reference' } }) : null;
  const svc = await openIgniteTarget(values.svc ?? service?.url ?? '');
  if (svc === undefined) throw new Error('svc does not answer');
  const run = new Run(await withoutCatalog(ignite), await withoutCatalog(svc), values.keys);
  for (const folder of positionals) for (const path of scriptsIn(folder)) await run.script(folder, path);
  print(run.counts);
  if (values.report !== undefined) {
    const lines = [...run.differences, ...run.further].map((each) => `${JSON.stringify(each)}\n`);
    writeFileSync(values.report, lines.join(''));
  }
  await Promise.all([ignite.close(), svc.close()]);
}
