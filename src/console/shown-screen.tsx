/** The screen that the address names, as soon as it is loaded. */
import { useRef } from 'preact/hooks';
import { Failure } from './elements/elements.tsx';
import { isOut, upgradedAtMs } from './requests/connection.ts';
import { screenOf } from './screens.ts';

export function ShownScreen({ name }: { readonly name: string }) {
  const { title, useLoaded } = screenOf(name);
  const { Shown: loaded, failure } = useLoaded();
  const isWaiting = failure !== '' || isOut.value || upgradedAtMs.value !== undefined;
  // The previous screen stays until the next one is loaded, unless that takes long.
  const shown = useRef(loaded);
  shown.current = loaded ?? (isWaiting ? undefined : shown.current);
  const { current: Screen } = shown;
  if (Screen !== undefined) return <Screen />;
  return (
    <>
      <h1>{title}</h1>
      <Failure text={failure} />
      {failure === '' && <p class="hint">{isWaiting ? 'This screen has not been loaded yet.' : 'Loading …'}</p>}
    </>
  );
}
