/** The login, where the service demands one, and the key with which it demands that requests are signed. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useSending } from './elements/attempt.ts';
import { bound, Dialog, Failure, TextField } from './elements/elements.tsx';
import { Closing } from './elements/opened-dialog.tsx';
import { isLoginOpen } from './frame/connection-notice.tsx';
import { callEnvelope, LOGIN_COMMAND, SvcError } from './requests/request.ts';
import { endedAtMs, needsLogin, noteAccepted, serviceName, signedIn, signIn } from './requests/session.ts';
import { keepSecretKey, needsSignature, trySecretKey } from './requests/signature.ts';

/** What the service requires. */
function LoginForm({ children }: { readonly children?: ComponentChildren }) {
  const known = signedIn.peek()?.user;
  const user = useSignal(known ?? '');
  const password = useSignal('');
  const key = useSignal('');
  const { error, isSending, send } = useSending(async () => {
    try {
      trySecretKey(key.value);
      const credentials = needsLogin ? { user: user.value, password: password.value, console: true } : {};
      const { sessionToken } = await callEnvelope(LOGIN_COMMAND, credentials);
      if (needsSignature) keepSecretKey(key.value);
      if (!needsLogin) return noteAccepted();
      if (sessionToken === null) throw new Error('The service returned no session.');
      signIn({ user: user.value, token: sessionToken });
    } catch (problem) {
      const isWrong = problem instanceof SvcError && problem.code === 'CREDENTIALS_WRONG';
      throw isWrong ? new Error('The user name or the password is wrong.') : problem;
    } finally {
      trySecretKey('');
    }
  });
  return (
    <form class="narrow" onSubmit={send}>
      {children}
      {needsLogin && (
        <>
          {known === undefined && <TextField label="User" {...bound(user)} autocomplete="username" required />}
          <TextField label="Password" type="password" {...bound(password)} autocomplete="current-password" required />
        </>
      )}
      {needsSignature && (
        <TextField
          label="Secret key"
          hint="The service accepts only requests that are signed with it (secretKey). This tab keeps it."
          type="password"
          {...bound(key)}
          required
        />
      )}
      <Failure text={error} />
      <p class="actions">
        <button type="submit" class="primary" disabled={isSending}>
          Log in
        </button>
      </p>
    </form>
  );
}

export function Login() {
  return (
    <LoginForm>
      <h1>Log in to {serviceName}</h1>
    </LoginForm>
  );
}

/** The login over a page whose session has ended. The page and unsent requests stay. */
export function LoginDialog() {
  if (endedAtMs.value === undefined || !isLoginOpen.value) return null;
  return (
    <Closing.Provider value={() => (isLoginOpen.value = false)}>
      <Dialog title={`Log in to ${serviceName} again`}>
        <LoginForm>
          <p>
            Your session has ended. Nothing on this page is lost: log in to continue
            {needsLogin && (
              <>
                {' '}
                as <strong>{signedIn.value?.user}</strong>
              </>
            )}
            .
          </p>
        </LoginForm>
      </Dialog>
    </Closing.Provider>
  );
}
