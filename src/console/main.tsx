/** The console: the screens in their frame, and the login before them. */
import { useSignal } from '@preact/signals';
import { render } from 'preact';
import { useRef } from 'preact/hooks';
import 'uplot/dist/uPlot.min.css';
import './styles/tokens.css';
import './styles/controls.css';
import './styles/frame.css';
import './styles/definitions.css';
import './styles/live.css';
import './styles/overview.css';
import './styles/commands.css';
import './styles/query.css';
import './styles/administration.css';
import './style.css';
import { address } from './elements/address.ts';
import { Failure } from './elements/elements.tsx';
import { lazily } from './elements/lazy.ts';
import { OpenedDialog } from './elements/opened-dialog.tsx';
import { apply } from './elements/theme.ts';
import { Frame } from './frame/frame.tsx';
import { Login } from './login.tsx';
import { isReady } from './requests/request.ts';
import { environmentColour, environmentTitle, needsLogin, serviceName } from './requests/session.ts';
import { screenOf } from './screens.ts';

const useSent = lazily('The requests', async () => (await import('./commands/sent.tsx')).Sent);

/** Shows how programs send what the last clicks have sent. */
function SentRequests() {
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

function Shown({ name }: { readonly name: string }) {
  const { Shown: loaded, failure } = screenOf(name).useLoaded();
  // The screen before stays until the next one is there.
  const shown = useRef(loaded);
  shown.current = loaded ?? shown.current;
  const { current: Screen } = shown;
  return (
    <>
      <Failure text={failure} />
      {Screen === undefined ? <p class="hint">Loading …</p> : <Screen />}
    </>
  );
}

function Console() {
  const ready = isReady();
  const { name } = screenOf(address.value.screen);
  return (
    <Frame isReady={ready}>
      <main id="main" tabIndex={-1}>
        {ready ? <Shown name={name} /> : <Login />}
        {ready && <OpenedDialog />}
      </main>
      {ready && <SentRequests />}
    </Frame>
  );
}

/** Tabs of several services are told apart by it. */
const shownName = environmentTitle === '' ? serviceName : `${environmentTitle}, ${serviceName}`;

apply();
address.subscribe(({ screen }) => {
  document.title = `${screenOf(screen).title}: ${shownName}`;
});
if (needsLogin && !isReady()) document.title = `Log in: ${shownName}`;
if (environmentColour !== '') document.documentElement.dataset.colour = environmentColour;
const root = document.getElementById('console');
if (root !== null) render(<Console />, root);
