/** The services that the tests of the clients in clients/ need. */
import { type ServiceProcess, startService } from '../system/service-process.ts';
import { startTlsEndpoints } from './tls-endpoints.ts';

export interface ClientServices extends AsyncDisposable {
  /** The addresses as the tests of the clients read them from their environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** Starts a service without and one with authentication, one whose state tests change, and addresses with TLS. */
export async function startClientServices(): Promise<ClientServices> {
  const password = 'client-password';
  const strict = { SVC_PARAMETERS_STRICT: 'true' };
  const services: ServiceProcess[] = [];
  for (const env of [strict, { SVC_AUTHENTICATION: 'true', SVC_ADMIN_PASSWORD: password }, strict]) {
    services.push(await startService({ env }));
  }
  const [open, closed, scratch] = services.map(({ url }) => url);
  const tls = await startTlsEndpoints(open ?? '');
  return {
    env: {
      SVC_OPEN_URL: open ?? '',
      SVC_CLOSED_URL: closed ?? '',
      SVC_SCRATCH_URL: scratch ?? '',
      SVC_PASSWORD: password,
      SVC_TLS_URL: tls.url,
      SVC_TLS_WRONG_NAME_URL: tls.wrongNameUrl,
      SVC_TLS_EXPIRED_URL: tls.expiredUrl,
      SVC_TLS_AUTHORITY: tls.authorityFile,
    },
    async [Symbol.asyncDispose]() {
      await tls[Symbol.asyncDispose]();
      await Promise.all(services.map((service) => service[Symbol.asyncDispose]()));
    },
  };
}
