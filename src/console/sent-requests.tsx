/** The footer of the page: how programs send the requests of the last clicks. */
import { useSignal } from '@preact/signals';
import { Failure } from './elements/elements.tsx';
import { lazily } from './elements/lazy.ts';

const useSent = lazily('The requests', async () => (await import('./commands/sent.tsx')).Sent);

export function SentRequests() {
  const isOpen = useSignal(false);
  const { Shown, failure } = useSent(isOpen.value);
  return (
    <footer>
      <details onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
        <summary>Requests of this page as curl, TypeScript, Python, Go and Java</summary>
        <Failure text={failure} />
        {Shown !== undefined && <Shown />}
      </details>
    </footer>
  );
}
