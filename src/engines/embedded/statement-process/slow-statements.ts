/** Reports slow statements, without the literals in their text, and with advice. */
import { tokenize } from '../../../sql/syntax/tokenizer.ts';
import type { EngineCatalog } from '../catalog/engine-catalog.ts';
import type { SlowStatement } from '../shared/statement-protocol.ts';
import { type AdvisedStatement, adviseIndexes } from './index-advice.ts';

export interface SlowStatementsOptions {
  /** Reports statements that take longer than this, in ms; 0 reports none. */
  readonly slowMs: number;
  readonly report: (slow: SlowStatement) => void;
}

/** Enough to recognize a statement, and too little to fill the log. */
const SHOWN_CHARACTERS = 2_000;

/** A statement that has ended. */
export interface EndedStatement extends AdvisedStatement {
  /** The text sent by the client. */
  readonly text: string;
  readonly user: string;
  readonly timeMs: number;
}

export class SlowStatements {
  readonly #options: SlowStatementsOptions;
  readonly #catalog: EngineCatalog;

  constructor(options: SlowStatementsOptions, catalog: EngineCatalog) {
    this.#options = options;
    this.#catalog = catalog;
  }

  /** Reports the statement if it was slow. */
  note(statement: EndedStatement): void {
    const { slowMs, report } = this.#options;
    const { text, user, timeMs } = statement;
    if (slowMs === 0 || timeMs < slowMs) return;
    report({ text: withoutValues(text), user, timeMs, advice: this.#advise(statement) });
  }

  #advise(statement: AdvisedStatement): string | undefined {
    const sentences = adviseIndexes(statement, this.#catalog).map(
      ({ table, create }) => `It reads all rows of ${table}; this would help: ${create}.`,
    );
    return sentences.length === 0 ? undefined : sentences.join(' ');
  }
}

/** Returns the text with `?` for every literal, truncated if it is long. */
export function withoutValues(text: string): string {
  let shown = '';
  let from = 0;
  for (const { kind, start, end } of tokenize(text)) {
    if (kind !== 'number' && kind !== 'string') continue;
    shown += `${text.slice(from, start)}?`;
    from = end;
  }
  shown = (shown + text.slice(from)).replace(/\s+/g, ' ').trim();
  return shown.length > SHOWN_CHARACTERS ? `${shown.slice(0, SHOWN_CHARACTERS)}...` : shown;
}
