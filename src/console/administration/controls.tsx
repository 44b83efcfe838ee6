/** Controls of the administration: actions that need a right, a secret that is shown once, confirmations. */
import type { ComponentChildren } from 'preact';
import { Copied } from '../elements/copied.tsx';
import { Button, Dialog } from '../elements/elements.tsx';
import { Confirmation } from '../elements/form-dialog.tsx';
import { useClosing } from '../elements/opened-dialog.tsx';
import { rightInWords } from '../requests/request.ts';
import { missingFor } from './access.ts';
import type { NeededCommand } from './rights.ts';

/** Shows its content to users who may send a command, and tells others which right they lack. */
export function Permitted(props: {
  readonly command: NeededCommand;
  /** What the user may not do: `add users`. */
  readonly to: string;
  readonly children: ComponentChildren;
}) {
  const missing = missingFor(props.command);
  if (missing === undefined) return <>{props.children}</>;
  return (
    <span class="hint">
      You need {rightInWords(missing)} to {props.to}.
    </span>
  );
}

/** A dialog with a secret, which is shown only once. */
export function SecretDialog(props: {
  readonly title: string;
  readonly text: string;
  readonly secret: string;
  readonly label: string;
}) {
  return (
    <Dialog title={props.title}>
      <p>{props.text}</p>
      <Copied text={props.secret} label={props.label} />
      <p class="actions">
        <Button class="primary" onClick={useClosing()}>
          Done
        </Button>
      </p>
    </Dialog>
  );
}

/** Asks to type a name before something is deleted. */
export function Deletion(props: {
  readonly kind: string;
  /** Undefined if it is asked for. */
  readonly name: string | undefined;
  readonly text: string;
  readonly onConfirm: (name: string) => Promise<void>;
}) {
  const { kind, ...shown } = props;
  const title = props.name === undefined ? `Delete a ${kind}` : `Delete the ${kind} ${props.name}`;
  return <Confirmation {...shown} title={title} action={`Delete the ${kind}`} />;
}
