/** The Administration screen, by parts: users, roles, API keys, sessions, tasks, backups, configuration and log. */
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { address, linkTo } from '../elements/address.ts';
import { Copied } from '../elements/copied.tsx';
import { Tabs } from '../elements/tabs.tsx';
import { readOwnRoles } from '../requests/access.ts';
import { needsLogin } from '../requests/session.ts';
import { accessVersion } from './access.ts';
import { ApiKeys } from './api-keys.tsx';
import { Backups } from './backups.tsx';
import { Configuration } from './configuration.tsx';
import { LogView } from './log-view.tsx';
import { type PartName, partsOf, shownPart } from './parts.ts';
import { Roles } from './roles.tsx';
import { Sessions } from './sessions.tsx';
import { Tasks } from './tasks.tsx';
import { Users } from './users.tsx';

/** Shown in place of users without authentication. */
function Everybody() {
  return (
    <section aria-labelledby="users">
      <h2 id="users">Users</h2>
      <p>
        Authentication is off: there are no users, roles, API keys or sessions, and anyone who can reach the service may
        do everything. To require a login, start the service with:
      </p>
      <Copied text="SVC_AUTHENTICATION=true svc serve" />
      <p class="hint">The first startup prints the first user's password.</p>
    </section>
  );
}

const SHOWN: Readonly<Record<PartName, () => JSX.Element>> = {
  users: needsLogin ? Users : Everybody,
  roles: Roles,
  keys: ApiKeys,
  sessions: Sessions,
  tasks: Tasks,
  backups: Backups,
  configuration: Configuration,
  log: LogView,
};

export function Administration() {
  const part = shownPart(address.value.params.get('part'), needsLogin);
  const Shown = SHOWN[part];
  useEffect(() => {
    const controller = new AbortController();
    void readOwnRoles(controller.signal);
    return () => controller.abort();
  }, [accessVersion.value]);
  return (
    <>
      <h1>Administration</h1>
      <Tabs
        label="Administration"
        tabs={partsOf(needsLogin).map(({ name, title }) => ({
          name,
          title,
          href: linkTo('administration', { part: name }),
        }))}
        chosen={part}
      />
      <Shown key={part} />
    </>
  );
}
