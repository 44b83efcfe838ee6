/** A form with the statement or command that it sends, which follows what is typed. */
import type { ComponentChildren } from 'preact';
import { useSending } from '../elements/attempt.ts';
import { Dialog, Failure } from '../elements/elements.tsx';
import { execute } from '../requests/statement.ts';

export interface StatementDialogProps {
  readonly title: string;
  /** What is sent, as text. */
  readonly statement: string;
  /** What the text is: `SQL`, `Command`. */
  readonly language: string;
  readonly action: string;
  readonly isDangerous?: boolean;
  /** What keeps the form from being sent; empty: nothing. */
  readonly problem: string;
  /** Sends it. What it throws is shown. */
  readonly onSend: () => Promise<void>;
  readonly onClose: () => void;
  readonly children?: ComponentChildren;
}

export function StatementDialog(props: StatementDialogProps) {
  const { title, statement, language, action, isDangerous = false, problem, onSend, onClose, children } = props;
  const { error, isSending, send } = useSending(async () => {
    if (problem === '') await onSend();
  });
  return (
    <Dialog title={title} isWide={children !== undefined} onClose={onClose}>
      <form onSubmit={send} class={children === undefined ? '' : 'beside'}>
        {children !== undefined && <div>{children}</div>}
        <div>
          <h3>{language}</h3>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it */}
          <pre class="sent-statement" tabIndex={0}>
            {statement}
          </pre>
          <Failure text={error} />
          <p class="actions">
            <button
              type="submit"
              class={isDangerous ? 'danger' : 'primary'}
              disabled={problem !== '' || isSending}
              aria-describedby="statement-problem"
            >
              {action}
            </button>
            <span id="statement-problem" class="hint">
              {problem}
            </span>
          </p>
        </div>
      </form>
    </Dialog>
  );
}

/** A form whose statement is executed. */
export function SqlDialog(
  props: Omit<StatementDialogProps, 'language' | 'onSend'> & {
    readonly language?: string;
    readonly onDone: () => Promise<void>;
  },
) {
  const { onDone, ...shown } = props;
  const send = async (): Promise<void> => {
    await execute(props.statement);
    await onDone();
  };
  return <StatementDialog language="SQL" {...shown} onSend={send} />;
}
