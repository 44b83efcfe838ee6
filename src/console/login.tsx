/** The login, where the service demands one, and the key with which it demands that requests are signed. */
import { useSignal } from '@preact/signals';
import { useSending } from './elements/attempt.ts';
import { bound, Failure, TextField } from './elements/elements.tsx';
import { callEnvelope, LOGIN_COMMAND, SvcError } from './requests/request.ts';
import { needsLogin, serviceName, signedOutReason, signIn } from './requests/session.ts';
import { keepSecretKey, needsSignature, trySecretKey } from './requests/signature.ts';

export function Login() {
  const user = useSignal('');
  const password = useSignal('');
  const key = useSignal('');
  const { error, isSending, send } = useSending(async () => {
    try {
      trySecretKey(key.value);
      const credentials = needsLogin ? { user: user.value, password: password.value } : {};
      const { sessionToken } = await callEnvelope(LOGIN_COMMAND, credentials);
      if (needsSignature) keepSecretKey(key.value);
      if (!needsLogin) return;
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
      <h1>Log in to {serviceName}</h1>
      {signedOutReason.value !== '' && <p role="status">{signedOutReason.value}</p>}
      {needsLogin && (
        <>
          <TextField label="User" {...bound(user)} autocomplete="username" required />
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
