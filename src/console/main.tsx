/** The console: its frame with the screens, and the login before them. */
import { signal } from '@preact/signals';
import { render } from 'preact';
import 'uplot/dist/uPlot.min.css';
import './style.css';
import { address, linkTo } from './elements/address.ts';
import { Failure } from './elements/elements.tsx';
import { apply, chooseTheme, type Theme, theme } from './elements/theme.ts';
import { Login } from './login.tsx';
import { call, isReady, messageOf } from './requests/request.ts';
import { needsLogin, serviceName, signedIn, signOut } from './requests/session.ts';
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

function Navigation() {
  const current = address.value.screen;
  return (
    <nav aria-label="Screens">
      <ul>
        {SCREENS.map(({ name, title }) => (
          <li key={name}>
            <a href={linkTo(name)} aria-current={name === current ? 'page' : undefined}>
              {title}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

interface ListedSession {
  readonly id: string;
  readonly current: boolean;
}

/** Ends the session on the service, too. If that fails, it ends there when it has not been used for a while. */
async function logOut(): Promise<void> {
  try {
    const limit = 1_000;
    const { user } = signedIn.peek() ?? {};
    const sessions = (await call('sessionlist', { user, limit })) as unknown as readonly ListedSession[];
    const id = sessions.find(({ current }) => current)?.id;
    if (id !== undefined) await call('sessionrmv', { id });
  } catch {
    // A user whose roles have neither command only forgets the session.
  }
  signOut();
}

const THEMES: ReadonlyArray<readonly [Theme, string]> = [
  ['system', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
];

const sent = signal<Screen | undefined>(undefined);

/** Shows how programs send what the last clicks have sent. */
function SentRequests() {
  const Shown = sent.value;
  const show = async (event: { readonly currentTarget: HTMLDetailsElement }): Promise<void> => {
    if (!event.currentTarget.open || sent.peek() !== undefined) return;
    try {
      sent.value = (await import('./commands/sent.tsx')).Sent;
    } catch (error) {
      loadError.value = `The requests cannot be shown: ${messageOf(error)}`;
    }
  };
  return (
    <footer>
      <details onToggle={show}>
        <summary>Requests of this page as curl, TypeScript and Python</summary>
        {Shown !== undefined && <Shown />}
      </details>
    </footer>
  );
}

function Frame() {
  const { value: session } = signedIn;
  const Shown = loaded.value?.component;
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to content
      </button>
      <header class="frame-head">
        <p class="product">{serviceName}</p>
        {isReady() && <Navigation />}
        <p class="account">
          <label class="hidden" for="theme">
            Theme
          </label>
          <select id="theme" value={theme.value} onChange={(event) => chooseTheme(event.currentTarget.value as Theme)}>
            {THEMES.map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
          {session !== undefined && (
            <button type="button" onClick={logOut}>
              Log out {session.user}
            </button>
          )}
        </p>
      </header>
      <main id="main" tabIndex={-1}>
        <Failure text={loadError.value} />
        {!isReady() ? <Login /> : Shown === undefined ? <p class="hint">Loading …</p> : <Shown />}
      </main>
      {isReady() && <SentRequests />}
    </>
  );
}

apply();
address.subscribe(({ screen }) => {
  void load(screen);
  const title = SCREENS.find(({ name }) => name === screen)?.title ?? 'Console';
  document.title = `${title}: ${serviceName}`;
});
if (needsLogin && !isReady()) document.title = `Log in: ${serviceName}`;
const root = document.getElementById('console');
if (root !== null) render(<Frame />, root);
