/** Generates the page of options from their table. `npm run generate` writes it to docs/options.md. */
import type { DescribedOption } from '../../src/documentation/help.ts';
import { blocks, code, GENERATED, table } from './markdown.ts';

/** Titles of the groups of options: the first part of their paths. The others are alone at the top of the file. */
const GROUPS: Readonly<Record<string, string>> = {
  engine: 'Engine',
  http: 'HTTP and TLS',
  console: 'Console',
  login: 'Logins',
  rateLimit: 'Rate limits',
  jwt: 'JSON Web Tokens',
  rest: 'Sessions and responses',
  query: 'Queries',
  taskProcesses: 'Tasks',
  storage: 'Storage',
  idempotency: 'Idempotency keys',
  backup: 'Backups',
  log: 'Logs',
};
const GENERAL = 'General';
const OTHERS = 'Others';
const LIMIT_PATH = 'limits.';

/** Returns the page. */
export function optionsPage(options: readonly DescribedOption[]): string {
  const shown = options.filter(({ path }) => !path.startsWith(LIMIT_PATH));
  const titles = [...new Set([GENERAL, ...Object.values(GROUPS), OTHERS])];
  return `${blocks(
    '# Options',
    GENERATED,
    'Set an option with a flag, in the environment or in the configuration file (`svc.config.ts` in the working ' +
      'directory, or the file that `--config` or `SVC_CONFIG` names). A flag overrides the environment, which overrides ' +
      'the file. Secrets have no flag; `NAME_FILE` names a file that contains one. `svc config show` prints the values ' +
      'and where each comes from. [configuration.md](configuration.md) describes the other parts of the file.',
    '[limits.md](limits.md) lists the options that are limits (`limits.*`).',
    ...titles.map((title) => {
      const own = shown.filter(({ path }) => titleOf(path) === title);
      return own.length === 0 ? '' : blocks(`## ${title}`, optionTable(own));
    }),
  )}\n`;
}

function titleOf(path: string): string {
  const [group = '', ...rest] = path.split('.');
  return GROUPS[group] ?? (rest.length === 0 ? GENERAL : OTHERS);
}

function optionTable(options: readonly DescribedOption[]): string {
  return table(
    ['environment', 'flag', 'in the file', 'allowed', 'default', 'meaning'],
    options.map(({ environment, flag, path, option }) => [
      code(environment),
      flag === undefined ? '' : code(flag),
      code(path),
      option.allowed,
      option.defaultText,
      option.help,
    ]),
  );
}
