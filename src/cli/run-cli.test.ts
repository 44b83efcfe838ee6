import { describe, expect, spyOn, test } from 'bun:test';
import { runSvc } from '../../test/fixtures/cli/terminal.ts';
import { COMMANDS } from '../commands/registry.ts';
import { CLIENT_SUBCOMMANDS, findClientSubcommand } from './client-subcommands.ts';
import { SUBCOMMANDS } from './subcommands.ts';

describe('arguments of the program', () => {
  const cases: ReadonlyArray<readonly [string, readonly string[], number, RegExp, RegExp]> = [
    ['--version', ['--version'], 0, /^9\.8\.7\n$/, /^$/],
    ['version', ['version'], 0, /^9\.8\.7\n$/, /^$/],
    [
      'a misspelt word',
      ['vershun'],
      2,
      /^$/,
      /^svc: vershun: unknown command, did you mean svc version\? \(svc help\)\n$/,
    ],
    ['a word of other programs', ['start'], 2, /^$/, /^svc: start: unknown command, did you mean svc serve\? /],
    ['a word that resembles others, too', ['set'], 2, /^$/, /^svc: set: unknown command, did you mean svc put\? /],
    ['a word of Redis', ['del'], 2, /^$/, /^svc: del: unknown command, did you mean svc rmv\? /],
    ['a word of SQL', ['select'], 2, /^$/, /^svc: select: unknown command, did you mean svc sql\? /],
    ['another', ['scan'], 2, /^$/, /^svc: scan: unknown command, did you mean svc qryscanexe\? /],
    ['a command of other products', ['keys'], 2, /^$/, /^svc: keys: unknown command, did you mean svc qryscanexe\? /],
    [
      'a word like no other',
      ['xylophone'],
      2,
      /^$/,
      /^svc: xylophone: unknown command, there are serve, status, .* \(svc help\)\n$/,
    ],
    ['a member of every object', ['constructor'], 2, /^$/, /^svc: constructor: unknown command, /],
    [
      'an unknown option',
      ['version', '--foo'],
      2,
      /^$/,
      /^svc: unknown option '--foo'\nUsage: svc version \[options\] \(svc help version\)\n$/,
    ],
    [
      'a missing argument',
      ['completion'],
      2,
      /^$/,
      /^svc: missing required argument 'shell': [^\n]+\nUsage: svc completion [^\n]*<shell>[^\n]* \(svc help completion\)\n$/,
    ],
    [
      'a table in place of a file',
      ['export', 'person'],
      2,
      /^$/,
      /^svc: name what to export: .*, such as --table person: the argument is the file to write\n$/,
    ],
    ['--help of a subcommand', ['version', '--help'], 0, /^Usage: svc version .*\n\nPrints the version/, /^$/],
    ['--help', ['--help'], 0, /^svc 9\.8\.7: .*svc help --all lists all commands and options\.\n$/s, /^$/],
    ['help of a subcommand', ['help', 'status'], 0, /^Usage: svc status /, /^$/],
    ['help of the service', ['help', 'serve'], 0, /^svc 9\.8\.7: the service\n/, /^$/],
    ['help of a command', ['help', 'get'], 0, /^get: Returns the value of a key\./, /^$/],
    ['help of an unknown word', ['help', 'gett'], 2, /^$/, /did you mean svc get/],
  ];
  for (const [title, argv, exitCode, output, errors] of cases) {
    test(title, async () => {
      expect(await runSvc(argv)).toEqual({
        exitCode,
        output: expect.stringMatching(output),
        errors: expect.stringMatching(errors),
      });
    });
  }
});

test('the overview lists every subcommand', async () => {
  const { output } = await runSvc(['help']);
  for (const { name, summary } of SUBCOMMANDS) expect(output).toMatch(new RegExp(`^ +${name} +${summary}$`, 'm'));
});

test('migrate reads its own arguments, and its exit code is that of the program', async () => {
  const seen: unknown[] = [];
  const migrate = (argv: readonly string[]) => {
    seen.push(argv);
    return Promise.resolve(130);
  };
  expect(await runSvc(['migrate', '--from', 'a', '--help'], { service: { migrate } })).toMatchObject({ exitCode: 130 });
  expect(seen).toEqual([['--from', 'a', '--help']]);
});

describe('completion', () => {
  const cases: ReadonlyArray<readonly [shell: string, words: readonly string[], candidates: RegExp]> = [
    ['zsh', ['sta'], /^status\t.*\nstate\t.*\n:4\n$/],
    ['zsh', ['help', 'qryf'], /^qryfetch\t.*\nqryfldexe\t.*\n:4\n$/],
    ['bash', ['get', 'key'], /^key=\t.*\nkeyType=\t.*\n:6\n$/],
    ['bash', ['getall', ''], /\nk1=\t/],
    ['zsh', ['get', 'keyType=lo'], /^keyType=long\t\n:4\n$/],
    ['bash', ['get', 'keyType=lo'], /^keyType=long\t\n:4\n$/],
    ['zsh', ['import', 'a', '--key-type', 'lo'], /^long\t\n:4\n$/],
    ['zsh', ['describe', ''], /^:4\n$/],
    ['fish', ['get', '--r'], /^--raw\t/],
    ['zsh', ['sql', '--c'], /^--ca\t(?:.*\n)*--continue\t/],
    ['zsh', ['sql', '--ca', ''], /^:0\n$/],
    ['zsh', ['serve', '--engine', ''], /^embedded\t\ncluster\t\n:4\n$/],
    ['zsh', ['serve', '--data-d'], /^--data-dir\t/],
    ['zsh', ['serve', '--data-dir', ''], /^:0\n$/],
    ['zsh', ['load-sql', ''], /^:0\n$/],
    ['zsh', ['completion', ''], /^bash\t\nzsh\t\nfish\t\n:4\n$/],
    ['zsh', ['xylophone', ''], /^:4\n$/],
  ];
  for (const [shell, words, expected] of cases) {
    test(`${shell}: ${words.join(' ')}`, async () => {
      // Nothing listens there: a service running on the machine would complete its tables.
      const environment = { SVC_URL: 'http://127.0.0.1:1/svc' };
      const { exitCode, output } = await runSvc(['completion', shell, 'complete', '--', ...words], { environment });
      expect([exitCode, output]).toEqual([0, expect.stringMatching(expected)]);
    });
  }
});

test('a subcommand comes before a command of the interface of the same name', async () => {
  const commands = new Set(COMMANDS.map(({ name }) => name));
  const shared = SUBCOMMANDS.map(({ name }) => name).filter((name) => commands.has(name));
  expect(shared).toContain('backup');
  // Whether a word is one of these is decided before the other subcommands are loaded.
  for (const name of shared) {
    const own = CLIENT_SUBCOMMANDS.find((each) => each.name === name);
    expect(await findClientSubcommand(name)).toBe(own);
  }
});

test('a service that does not run on the folder that the environment names', async () => {
  const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
  using _ = spyOn(globalThis, 'fetch').mockRejectedValue(refused);
  const run = (environment: Readonly<Record<string, string>>) =>
    runSvc(['put', 'a', 'b'], { environment, cwd: '/home' });
  expect(await run({ SVC_DATA_DIR: 'grid' })).toEqual({
    exitCode: 3,
    output: '',
    errors:
      'svc: no service is running on /home/grid, and none answers at http://localhost:8080/svc (ECONNREFUSED): start it ' +
      'with svc serve (SVC_DATA_DIR or SVC_CONFIG names that folder), or name another with --url\n',
  });
  for (const environment of [{}, { SVC_DATA_DIR: 'grid', SVC_URL: 'http://localhost:8080/svc' }]) {
    expect((await run(environment)).errors).toStartWith('svc: no service answers at http://localhost:8080/svc');
  }
});
