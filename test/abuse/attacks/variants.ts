/** The kinds of service that attacks run on. */
import { freePort } from '../../system/service-process.ts';
import type { Attack } from './attack.ts';

export interface Variant {
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  /** Whether the service has the tables and caches that attacks name, and answers without credentials. */
  readonly tables: boolean;
}

/** An address without a listener: the cluster engine finds no node there, so the service is live but not ready. */
const NO_NODE = `127.0.0.1:${freePort()}`;

export const VARIANTS: readonly Variant[] = [
  { name: 'one HTTP thread', env: { SVC_WORKERS: '1' }, tables: true },
  { name: 'two HTTP threads', env: { SVC_WORKERS: '2' }, tables: true },
  { name: 'authentication', env: { SVC_WORKERS: '1', SVC_AUTHENTICATION: 'true' }, tables: false },
  {
    name: 'cluster engine without a node',
    env: { SVC_WORKERS: '1', SVC_ENGINE: 'cluster', SVC_ENDPOINTS: NO_NODE },
    tables: false,
  },
];

export function attacksOn(attacks: readonly Attack[], { tables }: Variant): readonly Attack[] {
  return tables ? attacks : attacks.filter(({ anyEngine }) => anyEngine);
}
