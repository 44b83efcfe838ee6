/** The services that the tests of the clients in clients/ need. */
import { type ServiceProcess, startService } from '../system/service-process.ts';

export interface ClientServices extends AsyncDisposable {
  /** The addresses as the tests of the clients read them from their environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** Starts a service without and one with authentication, and one whose state tests change. */
export async function startClientServices(): Promise<ClientServices> {
  const password = 'client-password';
  const strict = { SVC_PARAMETERS_STRICT: 'true' };
  const services: ServiceProcess[] = [];
  for (const env of [strict, { SVC_AUTHENTICATION: 'true', SVC_ADMIN_PASSWORD: password }, strict]) {
    services.push(await startService({ env }));
  }
  const [open, closed, scratch] = services.map(({ url }) => url);
  return {
    env: {
      SVC_OPEN_URL: open ?? '',
      SVC_CLOSED_URL: closed ?? '',
      SVC_SCRATCH_URL: scratch ?? '',
      SVC_PASSWORD: password,
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(services.map((service) => service[Symbol.asyncDispose]()));
    },
  };
}
