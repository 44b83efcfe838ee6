/** Counts logins and wrong credentials, for the metrics. Runs in the main thread, where all passwords are verified. */
import { GridError } from '../base/errors.ts';
import type { Credential, LoginReport } from '../service/monitoring/login-report.ts';
import type { Authenticator } from '../service/security/authenticator.ts';
import type { KeyAttempts } from '../service/security/key-attempts.ts';

export class LoginCounts {
  #accepted = 0;
  readonly #failures = {
    password: { wrong: 0, throttled: 0 },
    api_key: { wrong: 0, throttled: 0 },
    jwt: { wrong: 0, throttled: 0 },
  };

  /** Returns an authenticator that counts the decisions of `authenticator`. */
  authenticator(authenticator: Authenticator): Authenticator {
    return {
      check: async (name, password, address) => {
        try {
          const account = await authenticator.check(name, password, address);
          this.#accepted++;
          return account;
        } catch (error) {
          this.#failed('password', error);
          throw error;
        }
      },
    };
  }

  /** Returns key attempts whose failures are counted. */
  keyAttempts(keyAttempts: KeyAttempts): KeyAttempts {
    return {
      failed: async (id, address) => {
        const credential = id === 'jwt' ? 'jwt' : 'api_key';
        try {
          await keyAttempts.failed(id, address);
          this.#failures[credential].wrong++;
        } catch (error) {
          this.#failed(credential, error);
          throw error;
        }
      },
    };
  }

  read(): LoginReport {
    return { accepted: this.#accepted, failures: structuredClone(this.#failures) };
  }

  /** An error of the store or the cluster says nothing about the credentials. */
  #failed(credential: Credential, error: unknown): void {
    if (!(error instanceof GridError)) return;
    if (error.code === 'CREDENTIALS_WRONG') this.#failures[credential].wrong++;
    if (error.code === 'TOO_MANY_ATTEMPTS' || error.code === 'OVERLOADED') this.#failures[credential].throttled++;
  }
}
