/** One run of openapi-generator creates clients in several languages, which are compiled and used: README.md. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { appendFileSync, cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openApiDocument } from '../../src/documentation/openapi.ts';
import { outputOf } from '../ended-program.ts';
import { type ServiceProcess, startService } from '../system/service-process.ts';

// The compilers of a machine that is busy with other tests take minutes.
setDefaultTimeout(1_200_000);
const build = join(import.meta.dir, '../../build/generators/openapi-generator');
const VERSION = '7.25.0';
const JAR = join(build, `openapi-generator-cli-${VERSION}.jar`);
const inCi = process.env.SVC_TEST_CI === 'true';
const isMissing = (program: string) => Bun.which(program) === null;
/** The missing programs for generating clients. CI has them. */
const missing = inCi ? [] : ['mvn', 'java'].filter(isMissing);

/**
 * Generators, and the commands that compile their clients. A program that uses the client is copied to it, and run with
 * the origin of the service. `optional`: not even CI has it.
 */
const CLIENTS: ReadonlyArray<{
  readonly generator: string;
  readonly program: string;
  readonly compile: readonly string[];
  readonly use?: { readonly source: string; readonly target: string; readonly run: readonly string[] };
  readonly optional?: true;
}> = [
  { generator: 'python', program: 'python3', compile: ['-m', 'compileall', '-q', 'openapi_client'] },
  {
    generator: 'go',
    program: 'go',
    compile: ['build', './...'],
    use: { source: 'client.go', target: 'cmd/client/main.go', run: ['run', './cmd/client'] },
    optional: true,
  },
  {
    generator: 'typescript-fetch',
    program: 'node',
    compile: [join(build, 'packages/node_modules/typescript/bin/tsc'), '-p', '.'],
  },
  {
    generator: 'typescript-axios',
    program: 'node',
    compile: [join(build, 'packages/node_modules/typescript/bin/tsc'), '-p', '.'],
  },
  // Without TLS, which needs libraries of the system.
  {
    generator: 'rust',
    program: 'cargo',
    compile: ['build', '--quiet', '--no-default-features', '--examples'],
    use: {
      source: 'client.rs',
      target: 'examples/client.rs',
      run: ['run', '--quiet', '--no-default-features', '--example', 'client'],
    },
    optional: true,
  },
];
/** Dependencies of the program in Rust besides the client. */
const RUNTIME_OF_RUST = '\n[dev-dependencies]\ntokio = { version = "1", features = ["macros", "rt"] }\n';
const PACKAGES = ['axios@1.21.1', 'typescript@5.9.3', '@types/node@20.19.0'];

function run(cwd: string, ...command: readonly string[]): Promise<string> {
  return outputOf(command, { cwd });
}

function folderOf(generator: string): string {
  // Packages are found in a folder above.
  return generator.startsWith('typescript') ? join(build, 'packages', generator) : join(build, generator);
}

let service: ServiceProcess | undefined;
afterAll(() => service?.stop());

beforeAll(async () => {
  if (missing.length > 0) return;
  service = await startService();
  const create = encodeURIComponent('CREATE TABLE city (id BIGINT PRIMARY KEY, name VARCHAR)');
  await service.command(`cmd=qryfldexe&pageSize=1&qry=${create}`);
  mkdirSync(join(build, 'packages'), { recursive: true });
  if (!existsSync(JAR)) {
    const artifact = `-Dartifact=org.openapitools:openapi-generator-cli:${VERSION}:jar`;
    await run(build, 'mvn', '-q', '-B', 'dependency:copy', artifact, `-DoutputDirectory=${build}`);
  }
  if (!existsSync(join(build, 'packages/node_modules/axios'))) {
    await run(join(build, 'packages'), 'npm', 'install', '--silent', '--no-save', '--prefix', '.', ...PACKAGES);
  }
  const document = join(build, 'openapi.json');
  await Bun.write(document, openApiDocument('svc'));
  const settings: string[] = [];
  for (const { generator } of CLIENTS) {
    const outputDir = folderOf(generator);
    rmSync(outputDir, { recursive: true, force: true });
    const file = join(build, `${generator}.json`);
    await Bun.write(file, JSON.stringify({ generatorName: generator, inputSpec: document, outputDir }));
    settings.push(file);
  }
  // One process for all of them: a JVM takes longer to start than to generate.
  await run(build, 'java', '-jar', JAR, 'batch', '--fail-fast', ...settings);
  const options = {
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    target: 'es2022',
    module: 'preserve',
    types: ['node'],
  };
  for (const { generator } of CLIENTS.filter((each) => each.program === 'node')) {
    await Bun.write(join(folderOf(generator), 'tsconfig.json'), JSON.stringify({ compilerOptions: options }));
  }
  for (const { generator, use } of CLIENTS) {
    if (use === undefined) continue;
    cpSync(join(import.meta.dir, 'openapi-generator', use.source), join(folderOf(generator), use.target));
  }
  appendFileSync(join(folderOf('rust'), 'Cargo.toml'), RUNTIME_OF_RUST);
});

for (const { generator, program, compile, use, optional } of CLIENTS) {
  const lacking = [...missing, ...(inCi && !optional ? [] : [program].filter(isMissing))];
  const note = lacking.length > 0 ? ` (skipped: ${lacking.join(' and ')} not on the PATH)` : '';
  test.skipIf(lacking.length > 0)(`openapi-generator for ${generator}${note}`, async () => {
    expect(await run(folderOf(generator), program, ...compile)).toBe('');
    if (use === undefined || service === undefined) return;
    expect(await run(folderOf(generator), program, ...use.run, service.origin)).toBe('done\n');
  });
}
