/** The screen Administration: tasks, logs, and, with authentication, sessions, users, roles and API keys. */
import { needsLogin } from '../requests/session.ts';
import { ApiKeys } from './api-keys.tsx';
import { LogView } from './log-view.tsx';
import { Roles } from './roles.tsx';
import { Sessions } from './sessions.tsx';
import { Tasks } from './tasks.tsx';
import { Users } from './users.tsx';

export function Administration() {
  return (
    <>
      <h1>Administration</h1>
      <Tasks />
      {needsLogin ? (
        <>
          <Sessions />
          <Users />
          <Roles />
          <ApiKeys />
        </>
      ) : (
        <p class="hint">Authentication is off: there are no sessions, users, roles and API keys.</p>
      )}
      <LogView />
    </>
  );
}
