/** The steps of a plan, from the text that EXPLAIN returns. */

type Cost = 'table' | 'index' | 'key' | 'sort' | 'other';

export interface PlanStep {
  readonly text: string;
  readonly cost: Cost;
  /** The table that the step reads, with its schema; undefined if it reads none. */
  readonly table: string | undefined;
  readonly steps: readonly PlanStep[];
}

export interface ParsedPlan {
  readonly statement: string;
  readonly steps: readonly PlanStep[];
  /** Statements that create indexes which the service advises. */
  readonly advised: readonly string[];
  /** Rows that the statement returned, where it was executed; undefined where it was not. */
  readonly rowCount: number | undefined;
}

const COSTS: ReadonlyArray<readonly [pattern: RegExp, cost: Cost]> = [
  [/^reads all rows of \S+(?: #\d+)? in the order of/, 'index'],
  [/^reads all rows of /, 'table'],
  // The terms that a cluster uses.
  [/\.__SCAN_\b/, 'table'],
  [/ by the primary key\b/, 'key'],
  [/ by an index that is built for this statement/, 'table'],
  [/^finds /, 'index'],
  [/^sorts for /, 'sort'],
];
const TABLE = /\bof ((?:"(?:[^"]|"")*"|[\w$]+)\.(?:"(?:[^"]|"")*"|[\w$]+))/;
const ADVICE = /^advice: (CREATE INDEX .*)$/;
const ROW_COUNT = /^rows: (\d+)$/;

/** Returns the steps. Their lines are indented below the step that they belong to. */
function stepsOf(lines: readonly string[]): PlanStep[] {
  const roots: PlanStep[] = [];
  const open: Array<{ readonly indent: number; readonly steps: PlanStep[] }> = [{ indent: -1, steps: roots }];
  for (const line of lines) {
    const text = line.trim();
    const indent = line.length - line.trimStart().length;
    while (open.length > 1 && (open.at(-1)?.indent ?? -1) >= indent) open.pop();
    const steps: PlanStep[] = [];
    const cost = COSTS.find(([pattern]) => pattern.test(text))?.[1] ?? 'other';
    open.at(-1)?.steps.push({ text, cost, table: TABLE.exec(text)?.[1], steps });
    open.push({ indent, steps });
  }
  return roots;
}

/** Parses the plan of a statement. A cluster puts its own statement first, on one line. */
export function parsePlan(text: string, sql: string): ParsedPlan {
  const isOwn = text.startsWith(sql);
  const [firstLine = ''] = text.split('\n');
  const lines = text.slice(isOwn ? sql.length : firstLine.length).split('\n');
  const [counted] = lines.flatMap((line) => ROW_COUNT.exec(line)?.[1] ?? []);
  return {
    statement: isOwn ? sql : firstLine,
    steps: stepsOf(lines.filter((line) => line.trim() !== '' && !ADVICE.test(line) && !ROW_COUNT.test(line))),
    advised: lines.flatMap((line) => ADVICE.exec(line)?.[1] ?? []),
    rowCount: counted === undefined ? undefined : Number(counted),
  };
}
