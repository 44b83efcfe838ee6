/** The plan of a statement as a tree, with advice where it reads more than it needs. */

export interface PlanStep {
  readonly text: string;
  readonly advice: string | undefined;
  readonly steps: readonly PlanStep[];
}

const ADVICE: ReadonlyArray<readonly [pattern: RegExp, advice: string]> = [
  [
    /^reads all rows of (\S+)/,
    'Reads the whole table. If a condition selects few rows, an index on its columns avoids that: CREATE INDEX ON …',
  ],
  [
    // The words of a cluster.
    /\.__SCAN_\b/,
    'Reads the whole table. If a condition selects few rows, an index on its columns avoids that: CREATE INDEX ON …',
  ],
  [/^sorts for (?:ORDER BY|GROUP BY|DISTINCT)/, 'Sorts the rows. An index in this order would make that unnecessary.'],
];

/** Returns the steps of a plan, whose lines are indented below what they belong to. */
export function stepsOf(lines: readonly string[]): PlanStep[] {
  const roots: PlanStep[] = [];
  const open: Array<{ readonly indent: number; readonly steps: PlanStep[] }> = [{ indent: -1, steps: roots }];
  for (const line of lines) {
    const text = line.trim();
    const indent = line.length - line.trimStart().length;
    while (open.length > 1 && (open.at(-1)?.indent ?? -1) >= indent) open.pop();
    const steps: PlanStep[] = [];
    open.at(-1)?.steps.push({ text, advice: ADVICE.find(([pattern]) => pattern.test(text))?.[1], steps });
    open.push({ indent, steps });
  }
  return roots;
}

function Steps({ steps }: { readonly steps: readonly PlanStep[] }) {
  return (
    <ul>
      {steps.map(({ text, advice, steps: inner }, index) => (
        <li key={`${index}`}>
          {text}
          {advice !== undefined && <span class="advice"> {advice}</span>}
          {inner.length > 0 && <Steps steps={inner} />}
        </li>
      ))}
    </ul>
  );
}

/** Shows a plan: the first line is the statement, the others are its steps. */
export function Plan({ text }: { readonly text: string }) {
  const [statement = '', ...lines] = text.split('\n');
  return (
    <div class="plan">
      <pre>{statement}</pre>
      <Steps steps={stepsOf(lines.filter((line) => line.trim() !== ''))} />
    </div>
  );
}
