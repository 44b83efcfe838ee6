/**
 * Runs Schemathesis, a fuzzer for OpenAPI documents, on a running service with the document that it serves itself.
 * Needs Python; the program is installed from PyPI into a separate folder, which is kept between runs.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { COMMANDS } from '../../src/commands/registry.ts';
import { startService } from '../system/service-process.ts';
import { createTables } from './attacks/run-attack.ts';

const VERSION = '4.32.5';
const folder = join(import.meta.dir, '../../build/schemathesis');
const program = join(folder, 'bin/schemathesis');
/** Checks that hold for every answer. The other checks expect codes that only `httpStatus=true` returns. */
const CHECKS =
  'not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,response_schema_conformance';

/** Commands that disable what the other requests need: an inactive grid answers 503 by design. */
const ENDING = ['deactivate', 'inactive', 'setstate', 'drain'];
/** Commands whose answers have no end. */
const ENDLESS = COMMANDS.filter(({ batch }) => batch === 'returnsChanges').map(({ name }) => name);

export interface SchemathesisBounds {
  /** Ends the run, whatever has been tested by then; until then, it repeats with other requests. */
  readonly seconds?: number;
  /** Requests for each operation, without a phase of edge cases: the same ones on every machine. */
  readonly requestsPerOperation?: number;
}

/** Returns the exit code: 0 when it found nothing, undefined if Python is not installed. */
export async function runSchemathesis(
  seed: number,
  { seconds = 0, requestsPerOperation }: SchemathesisBounds,
): Promise<number | undefined> {
  if (!install()) return undefined;
  await using service = await startService({ env: { SVC_WORKERS: '1' } });
  await createTables(service);
  const child = Bun.spawn(
    [
      program,
      'run',
      `${service.origin}/openapi.json`,
      `--seed=${seed}`,
      `--checks=${CHECKS}`,
      '--max-failures=20',
      // The default of 10 is too short for a busy machine.
      '--request-timeout=60',
      ...(requestsPerOperation === undefined
        ? [`--max-time=${seconds}`]
        : ['--phases=examples,fuzzing', `--max-examples=${requestsPerOperation}`]),
      '--generation-database=none',
      '--no-color',
      ...[...ENDING, ...ENDLESS].map((name) => `--exclude-operation-id=${name}`),
    ],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  );
  return await child.exited;
}

function install(): boolean {
  if (existsSync(program)) return true;
  const steps = [
    ['python3', '-m', 'venv', folder],
    [join(folder, 'bin/pip'), 'install', '--quiet', '--disable-pip-version-check', `schemathesis==${VERSION}`],
  ];
  return steps.every((step) => Bun.spawnSync(step, { stdio: ['ignore', 'inherit', 'inherit'] }).exitCode === 0);
}
