/** The user who is signed in in this tab, and the facts about the service that the page contains. */
import { signal } from '@preact/signals';

const STORED = 'svc.session';

export interface SignedIn {
  readonly user: string;
  readonly token: string;
}

const { dataset } = document.body;
/** The name of the service in its path. */
export const serviceName = dataset.service ?? 'svc';
export const needsLogin = dataset.authentication === 'true';
/** The version, if anyone may know it. */
export const shownVersion = dataset.version ?? '';

/** Whether the service makes backups: a cluster makes its own. */
export const backupsEnabled = dataset.backups === 'true';

/** The configured name of this service, such as Production; empty if none. */
export const environmentTitle = dataset.title ?? '';
/** The colour that tells it from others; empty if none. */
export const environmentColour = dataset.colour ?? '';

/** The session; undefined while signed out. It is forgotten when the tab is closed. */
export const signedIn = signal<SignedIn | undefined>(read());
/** When the service ended the session of the page, which stays as it is: the login opens over it. */
export const endedAtMs = signal<number | undefined>(undefined);

/** The user whose results and texts this page has in memory; undefined if none. */
let lastUser = signedIn.peek()?.user;

/** Keeps a session for the requests of this tab. What the page has of another user is forgotten by loading it again. */
export function signIn(session: SignedIn): void {
  sessionStorage.setItem(STORED, JSON.stringify(session));
  if (lastUser !== undefined && lastUser !== session.user) {
    location.reload();
    return;
  }
  lastUser = session.user;
  signedIn.value = session;
  endedAtMs.value = undefined;
}

/** Records that the service no longer accepts the session, or the key of signatures. */
export function noteEnd(): void {
  sessionStorage.removeItem(STORED);
  endedAtMs.value ??= Date.now();
}

/** Notes that requests are accepted again, where only the key of signatures is needed. */
export function noteAccepted(): void {
  endedAtMs.value = undefined;
}

/** Resolves when requests are accepted. Rejects when the signal aborts. */
export function untilSignedIn(abort: AbortSignal | undefined): Promise<void> {
  if (endedAtMs.peek() === undefined) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const ignore = endedAtMs.subscribe((ended) => {
      if (ended !== undefined) return;
      ignore();
      resolve();
    });
    abort?.addEventListener('abort', () => {
      ignore();
      reject(abort.reason);
    });
  });
}

/** Returns the name under which the browser keeps something for the user: others of this browser must not see it. */
export function ownKey(name: string): string {
  const user = signedIn.peek()?.user;
  return user === undefined ? name : `${name}:${user}`;
}

/** Forgets the session of this tab. */
export function signOut(): void {
  sessionStorage.removeItem(STORED);
  endedAtMs.value = undefined;
  signedIn.value = undefined;
}

function read(): SignedIn | undefined {
  const text = sessionStorage.getItem(STORED);
  return text === null ? undefined : (JSON.parse(text) as SignedIn);
}
