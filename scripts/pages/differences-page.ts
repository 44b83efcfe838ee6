/** Generates the page of known differences. `npm run generate` writes it to docs/differences.md. */
import { KNOWN_DIFFERENCES } from './known-differences.ts';
import { blocks, GENERATED, table } from './markdown.ts';

/** Returns the page. */
export function differencesPage(): string {
  return `${blocks(
    '# Differences from Apache Ignite',
    GENERATED,
    'The service deviates from the HTTP interface of Apache Ignite 2 where that contradicts its documentation, loses ' +
      'data, is insecure or behaves inconsistently. `SVC_COMPATIBILITY=reference` restores the behaviour of Ignite in the ' +
      'rows marked R only. [A guide](guides/migrating-from-ignite.md) says what to check in a client, and ' +
      '[sql.md](sql.md#differences-from-ignite) how statements differ.',
    table(
      ['', 'Ignite', 'the service', ''],
      KNOWN_DIFFERENCES.map(({ row, ignite, service, isRestored }) => [
        String(row),
        ignite,
        service,
        isRestored === true ? 'R' : '',
      ]),
    ),
  )}\n`;
}
