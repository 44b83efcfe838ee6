/**
 * Values that clients in other languages read can be written back, even by these clients. Part of `npm run test:long`.
 */
import { describe } from 'bun:test';
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { outputOf } from '../../ended-program.ts';
import { ClientProgram } from './client-program.ts';
import { CODECS, isNoUnicode } from './codecs.ts';
import { runEntriesSuite } from './entries.suite.ts';
import type { Exception } from './law.ts';
import { runRowsSuite } from './rows.suite.ts';

const root = join(import.meta.dir, '../../..');
const LIMIT_MS = 280_000;

interface Language {
  readonly name: string;
  /** The programs that must be on the PATH. */
  readonly needs: string;
  /** Starts the program with the address of a service. */
  start(url: string): Promise<ClientProgram>;
  readonly exceptions: Readonly<Record<'key' | 'value' | 'column', readonly Exception[]>>;
}

const SURROGATES = {
  values: CODECS.flatMap(({ values }) => values).filter(isNoUnicode),
  reason: 'encoding/json of Go replaces lone surrogates by U+FFFD, since its texts are UTF-8',
};
const OF_GO: readonly Exception[] = [
  { ...SURROGATES, read: ['get of the program', 'scan of the program'] },
  { ...SURROGATES, write: ['put of the program', 'get and put of the program'] },
];
const ORDER = {
  types: ['map', 'java.util.HashMap'],
  values: ['{"b":1,"a":{"c":null}}', '{"b":1,"a":3}'],
  reason: 'maps of Go have no order, and encoding/json sorts their keys',
};

const LANGUAGES: readonly Language[] = [
  {
    name: 'Python',
    needs: 'python3',
    async start(url) {
      const build = join(root, 'build/clients/python-written-back');
      const python = join(build, 'bin/python');
      if (!existsSync(join(build, 'bin/httpx'))) {
        mkdirSync(build, { recursive: true });
        await outputOf(['python3', '-m', 'venv', build]);
        await outputOf([python, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', 'httpx==0.28.1']);
      }
      const env = { PYTHONPATH: join(root, 'clients/python/src'), PYTHONDONTWRITEBYTECODE: '1' };
      return new ClientProgram([python, join(import.meta.dir, 'client-program.py'), url], env);
    },
    exceptions: { key: [], value: [], column: [] },
  },
  {
    name: 'Go',
    needs: 'go',
    async start(url) {
      const build = join(root, 'build/clients/go-written-back');
      const library = 'github.com/svc-grid/svc-go';
      mkdirSync(build, { recursive: true });
      copyFileSync(join(import.meta.dir, 'client-program.go'), join(build, 'main.go'));
      const replacement = `require ${library} v0.0.0\nreplace ${library} => ${join(root, 'clients/go')}`;
      writeFileSync(join(build, 'go.mod'), `module program\ngo 1.24\n${replacement}\n`);
      const env = { ...process.env, GOTOOLCHAIN: 'local' };
      await outputOf(['go', 'build', '-o', 'program', '.'], { cwd: build, env });
      return new ClientProgram([join(build, 'program'), url], {});
    },
    exceptions: {
      key: OF_GO,
      value: [
        ...OF_GO,
        { ...ORDER, read: ['get of the program', 'scan of the program'] },
        { ...ORDER, write: ['put of the program'] },
      ],
      column: [
        {
          types: ['REAL', 'DOUBLE'],
          values: ['-0.0'],
          read: ['query of the program'],
          write: ['insert of the program'],
          reason: 'encoding/json writes -0, and a whole number has no sign of a zero; arg1Type=double reads it',
        },
      ],
    },
  },
];

for (const { name, needs, start, exceptions } of LANGUAGES) {
  const isMissing = Bun.which(needs) === null && process.env.SVC_TEST_CI !== 'true';
  describe.skipIf(isMissing)(`${name}${isMissing ? ` (skipped: ${needs} is not on the PATH)` : ''}`, () => {
    const engine = { isCluster: false, limitMs: LIMIT_MS, environment: () => ({}), startProgram: start };
    runEntriesSuite(engine, exceptions);
    runRowsSuite(engine, exceptions.column);
  });
}
