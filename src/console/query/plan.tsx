/** The plan of a statement as a tree: the cost of each step, and an index that would help. */
import { Button } from '../elements/elements.tsx';
import { formatCount, formatMs } from '../elements/formats.ts';
import { catalog, titleOf } from '../requests/catalog.ts';
import type { ParsedPlan, PlanStep } from './plan-steps.ts';

const COSTS: Readonly<Record<PlanStep['cost'], readonly [text: string, look: string]>> = {
  table: ['whole table', 'warning'],
  sort: ['sort', 'warning'],
  index: ['index', 'good'],
  key: ['primary key', 'good'],
  other: ['', ''],
};

/** Returns the number of rows of a table that a plan names with its schema, or undefined if not known. */
function rowsOf(table: string | undefined): number | undefined {
  const name = table?.replace(/^PUBLIC\./, '');
  const found = catalog.value?.find((each) => each.table !== undefined && titleOf(each) === name);
  return found?.size ?? undefined;
}

function largest(steps: readonly PlanStep[]): number {
  return steps.reduce((most, step) => Math.max(most, readRows(step) ?? 0, largest(step.steps)), 0);
}

/** Returns the rows that a step reads each time, or undefined if an index finds an unknown number of them. */
function readRows({ cost, table }: PlanStep): number | undefined {
  return cost === 'table' ? rowsOf(table) : undefined;
}

function Steps({ steps, most }: { readonly steps: readonly PlanStep[]; readonly most: number }) {
  return (
    <ul>
      {steps.map((step, index) => {
        const [cost, look] = COSTS[step.cost];
        const rows = readRows(step);
        const all = rowsOf(step.table);
        return (
          <li key={`${index}`}>
            <div class="plan-step">
              <span class="plan-text">{step.text}</span>
              {cost !== '' && <span class={`badge ${look}`}>{cost}</span>}
              <span class="plan-rows">
                {rows !== undefined
                  ? formatCount(rows, 'row')
                  : all !== undefined
                    ? `some of ${formatCount(all, 'row')}`
                    : ''}
              </span>
              {rows !== undefined && most > 0 && (
                <span class="plan-bar" aria-hidden="true">
                  <span style={{ width: `${(100 * rows) / most}%` }} />
                </span>
              )}
            </div>
            {step.steps.length > 0 && <Steps steps={step.steps} most={most} />}
          </li>
        );
      })}
    </ul>
  );
}

export interface PlanProps {
  readonly plan: ParsedPlan;
  readonly timeMs: number | undefined;
  readonly isRunning: boolean;
  /** Executes the statement and explains it. */
  readonly onMeasure: () => void;
  /** Creates an index that the service advises. */
  readonly onCreate: (statement: string) => void;
}

export function Plan({ plan, timeMs, isRunning, onMeasure, onCreate }: PlanProps) {
  const { steps, statement, advised, rowCount } = plan;
  return (
    <section aria-labelledby="plan" class="plan">
      <h2 id="plan">Plan</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it */}
      <pre tabIndex={0}>{statement}</pre>
      {steps.length > 0 && <Steps steps={steps} most={largest(steps)} />}
      {advised.map((create) => (
        <div class="notice notice-warning" key={create}>
          <div>
            An index would avoid reading the whole table: <code>{create}</code>
          </div>
          <Button disabled={isRunning} onClick={() => onCreate(create)}>
            Create this index
          </Button>
        </div>
      ))}
      {advised.length === 0 && steps.some(({ cost }) => cost === 'sort') && (
        <p class="hint">It sorts rows. An index in this order avoids that.</p>
      )}
      <p class="actions">
        <Button disabled={isRunning} onClick={onMeasure}>
          Measure
        </Button>
        <span class="hint">
          {rowCount === undefined
            ? 'Executes the statement, and shows how many rows it returns and how long that takes.'
            : `It returned ${formatCount(rowCount, 'row')}${timeMs === undefined ? '' : ` in ${formatMs(timeMs)}`}.`}
        </span>
      </p>
    </section>
  );
}
