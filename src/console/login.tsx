/** The login, where the service demands one. */
import { useSignal } from '@preact/signals';
import { Failure, TextField } from './elements/elements.tsx';
import { callEnvelope, messageOf } from './requests/request.ts';
import { serviceName, signedOutReason, signIn } from './requests/session.ts';

export function Login() {
  const user = useSignal('');
  const password = useSignal('');
  const error = useSignal('');
  const isSending = useSignal(false);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    isSending.value = true;
    try {
      const { sessionToken } = await callEnvelope('authenticate', { user: user.value, password: password.value });
      if (sessionToken === null) throw new Error('The service returned no session.');
      signIn({ user: user.value, token: sessionToken });
    } catch (problem) {
      error.value = messageOf(problem);
    } finally {
      isSending.value = false;
    }
  };
  return (
    <form class="narrow" onSubmit={submit}>
      <h1>Log in to {serviceName}</h1>
      {signedOutReason.value !== '' && <p role="status">{signedOutReason.value}</p>}
      <TextField
        label="User"
        value={user.value}
        autocomplete="username"
        required
        onValue={(text) => (user.value = text)}
      />
      <TextField
        label="Password"
        type="password"
        value={password.value}
        autocomplete="current-password"
        required
        onValue={(text) => (password.value = text)}
      />
      <Failure text={error.value} />
      <p class="actions">
        <button type="submit" class="primary" disabled={isSending.value}>
          Log in
        </button>
      </p>
    </form>
  );
}
