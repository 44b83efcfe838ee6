/** The state of the cluster, and a form that changes it and says beforehand what that does. */
import { useSignal } from '@preact/signals';
import { Button, bound, SelectField } from '../elements/elements.tsx';
import { Confirmation } from '../elements/form-dialog.tsx';
import { openDialog } from '../elements/opened-dialog.tsx';
import { ReadProblem } from '../elements/read-problem.tsx';
import { mayAdminister } from '../requests/access.ts';
import type { Loaded } from '../requests/polling.ts';
import { call } from '../requests/request.ts';

const EFFECTS: Readonly<Record<string, string>> = {
  ACTIVE: 'All commands are executed: entries can be read and changed.',
  ACTIVE_READ_ONLY: 'Entries can be read. Every change is rejected until the state is ACTIVE again.',
  INACTIVE:
    'No entry can be read or changed, and running statements end. Caches that are not persistent lose all ' +
    'their entries. Clients get errors until the state is ACTIVE again.',
};

/** The known state, and a function that changes it. */
function KnownState({ state, reload }: { readonly state: string; readonly reload: () => Promise<void> }) {
  const wanted = useSignal('');
  const target = wanted.value === '' ? state : wanted.value;
  const change = async (): Promise<void> => {
    // The dialog has said what is lost.
    await call('setstate', { state: target, force: true });
    await reload();
    wanted.value = '';
  };
  const ask = (): void =>
    openDialog(
      <Confirmation
        title={`Change the state to ${target}`}
        text={EFFECTS[target] ?? ''}
        name={target}
        action="Change the state"
        onConfirm={change}
      />,
    );
  return (
    <>
      <p>
        <strong class={state === 'ACTIVE' ? 'good' : 'bad'}>{state}</strong> {EFFECTS[state]}
      </p>
      <details hidden={!mayAdminister('state')}>
        <summary>Change the state</summary>
        <div class="form-row">
          <SelectField label="New state" options={Object.keys(EFFECTS)} {...bound(wanted)} value={target} />
        </div>
        <p>{EFFECTS[target]}</p>
        <Button class="danger" disabled={target === state} onClick={ask}>
          Change to {target}
        </Button>
      </details>
    </>
  );
}

export function State({ loaded }: { readonly loaded: Loaded<string> }) {
  const { value: state } = loaded.value;
  return (
    <section id="state" tabIndex={-1} aria-labelledby="state-title">
      <h2 id="state-title">State</h2>
      <ReadProblem of={loaded} what="the state" />
      {state !== undefined && <KnownState state={state} reload={loaded.reload} />}
    </section>
  );
}
