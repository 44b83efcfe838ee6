/** A form that shows the statement or command it sends, updated as the user types. */
import type { ComponentChildren } from 'preact';
import { FormDialog, type FormDialogProps } from '../elements/form-dialog.tsx';
import { execute } from '../requests/statement.ts';

interface StatementDialogProps extends Omit<FormDialogProps, 'isWide' | 'canSend' | 'children'> {
  /** What is sent, as text. */
  readonly statement: string;
  /** The kind of the text: `SQL`, `Command`. */
  readonly language: string;
  readonly children?: ComponentChildren;
}

export function StatementDialog({ statement, language, children, ...form }: StatementDialogProps) {
  return (
    <FormDialog {...form} isWide={children !== undefined}>
      <div class={children === undefined ? '' : 'beside'}>
        {children !== undefined && <div>{children}</div>}
        <div>
          <h3>{language}</h3>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it */}
          <pre class="sent-statement" tabIndex={0}>
            {statement}
          </pre>
        </div>
      </div>
    </FormDialog>
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
