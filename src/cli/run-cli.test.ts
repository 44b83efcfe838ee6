import { describe, expect, test } from 'bun:test';
import { SUBCOMMANDS } from './subcommands.ts';
import { runSvc } from './terminal.fixture.ts';

describe('arguments of the program', () => {
  const cases: ReadonlyArray<readonly [string, readonly string[], number, RegExp, RegExp]> = [
    ['--version', ['--version'], 0, /^9\.8\.7\n$/, /^$/],
    ['version', ['version'], 0, /^9\.8\.7\n$/, /^$/],
    ['a misspelt word', ['vershun'], 2, /^$/, /^svc: vershun: unknown command, did you mean version\? \(svc help\)\n$/],
    [
      'a word like no other',
      ['xylophone'],
      2,
      /^$/,
      /^svc: xylophone: unknown command, there are serve, status, .* \(svc help\)\n$/,
    ],
    ['an unknown option', ['version', '--foo'], 2, /^$/, /^svc: unknown option '--foo'/],
    ['--help of a subcommand', ['version', '--help'], 0, /^Usage: svc version .*\n\nPrints the version/, /^$/],
    ['--help', ['--help'], 0, /--http-port, SVC_HTTP_PORT/, /^$/],
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
