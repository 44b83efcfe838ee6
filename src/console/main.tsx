/** The console: the screens in their frame, and the login before them. */
import { signal, useSignal } from '@preact/signals';
import { render } from 'preact';
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
import { apply } from './elements/theme.ts';
import { Frame } from './frame/frame.tsx';
import { Login } from './login.tsx';
import { isReady, messageOf } from './requests/request.ts';
import { environmentColour, environmentTitle, needsLogin, serviceName } from './requests/session.ts';
import { SCREENS, type Screen } from './screens.ts';

const loaded = signal<{ readonly name: string; readonly component: Screen } | undefined>(undefined);
const loadError = signal('');

async function load(name: string): Promise<void> {
  const found = SCREENS.find((each) => each.name === name) ?? SCREENS[0];
  if (found === undefined || loaded.peek()?.name === found.name) return;
  try {
    const component = await found.load();
    if (address.peek().screen === name) loaded.value = { name: found.name, component };
    loadError.value = '';
  } catch (error) {
    loadError.value = `The screen cannot be loaded: ${messageOf(error)}`;
  }
}

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

function Console() {
  const Shown = loaded.value?.component;
  const ready = isReady();
  return (
    <Frame isReady={ready}>
      <main id="main" tabIndex={-1}>
        <Failure text={loadError.value} />
        {!ready ? <Login /> : Shown === undefined ? <p class="hint">Loading …</p> : <Shown />}
      </main>
      {ready && <SentRequests />}
    </Frame>
  );
}

/** Tabs of several services are told apart by it. */
const shownName = environmentTitle === '' ? serviceName : `${environmentTitle}, ${serviceName}`;

apply();
address.subscribe(({ screen }) => {
  void load(screen);
  const title = SCREENS.find(({ name }) => name === screen)?.title ?? 'Console';
  document.title = `${title}: ${shownName}`;
});
if (needsLogin && !isReady()) document.title = `Log in: ${shownName}`;
if (environmentColour !== '') document.documentElement.dataset.colour = environmentColour;
const root = document.getElementById('console');
if (root !== null) render(<Console />, root);
