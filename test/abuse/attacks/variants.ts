/** The kinds of service that attacks run on. They differ in the thread that an attack occupies. */
import type { Attack } from './attack.ts';

export interface Variant {
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  /** Whether the service has the tables and caches that attacks name, and answers without credentials. */
  readonly tables: boolean;
}

export const VARIANTS = {
  one: { name: 'one HTTP thread', env: { SVC_WORKERS: '1' }, tables: true },
  two: { name: 'two HTTP threads', env: { SVC_WORKERS: '2' }, tables: true },
  authentication: {
    name: 'authentication',
    env: { SVC_WORKERS: '1', SVC_AUTHENTICATION: 'true' },
    tables: false,
  },
} as const satisfies Readonly<Record<string, Variant>>;

export function attacksOn(attacks: readonly Attack[], { tables }: Variant): readonly Attack[] {
  return tables ? attacks : attacks.filter(({ anyEngine }) => anyEngine);
}
