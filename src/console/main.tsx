/** The console: the screens in their frame, and the login before them. */
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
import { OpenedDialog } from './elements/opened-dialog.tsx';
import { apply } from './elements/theme.ts';
import { Frame } from './frame/frame.tsx';
import { Login, LoginDialog } from './login.tsx';
import { isReady } from './requests/request.ts';
import { environmentColour, environmentTitle, needsLogin, serviceName } from './requests/session.ts';
import { screenOf } from './screens.ts';
import { SentRequests } from './sent-requests.tsx';
import { ShownScreen } from './shown-screen.tsx';

function Console() {
  const ready = isReady();
  const { name } = screenOf(address.value.screen);
  return (
    <Frame isReady={ready}>
      <main id="main" tabIndex={-1}>
        {ready ? <ShownScreen name={name} /> : <Login />}
        {ready && <OpenedDialog />}
      </main>
      {ready && <SentRequests />}
      {ready && <LoginDialog />}
    </Frame>
  );
}

/** Distinguishes the tabs of several services. */
const shownName = environmentTitle === '' ? serviceName : `${environmentTitle}, ${serviceName}`;

apply();
address.subscribe(({ screen }) => {
  document.title = `${screenOf(screen).title}: ${shownName}`;
});
if (needsLogin && !isReady()) document.title = `Log in: ${shownName}`;
if (environmentColour !== '') document.documentElement.dataset.colour = environmentColour;
const root = document.getElementById('console');
if (root !== null) render(<Console />, root);
