/**
 * The long form of the abuse suite: `npm run abuse -- [all|fuzz|attacks|stop|schemathesis|replay] ...`.
 * test/abuse/README.md documents it. Exits with code 1 when something was found.
 */
import { parseArgs } from 'node:util';
import { startService } from '../system/service-process.ts';
import { ATTACKS } from './attacks/attacks.ts';
import { createTables, describeAttack, openBattlefield, runAttack, stopDuringAttack } from './attacks/run-attack.ts';
import { attacksOn, VARIANTS } from './attacks/variants.ts';
import { FUZZERS } from './fuzz/fuzzers.ts';
import { fuzzService, SOCKET_FUZZERS } from './fuzz/over-socket.ts';
import { chosenSeed, describeFinding, describeReport, runFuzzer, runFuzzers } from './fuzz/run-fuzz.ts';
import { runSchemathesis } from './schemathesis.ts';

const INPUTS = Number(process.env.SVC_ABUSE_INPUTS ?? 10_000_000);
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { from: { type: 'string' }, count: { type: 'string' } },
});
const [mode = 'all', ...rest] = positionals;
/** The range of a variant's attacks to run: the first one, counted from 0, and their number. */
const FROM = Number(options.from ?? 0);
const COUNT = Number(options.count ?? Number.POSITIVE_INFINITY);
const print = (line: string) => void process.stdout.write(`${line}\n`);
let found = 0;

/** Runs the attacks whose titles contain a text, on each kind of service. */
async function attack(part: string): Promise<void> {
  const wanted = process.env.SVC_ABUSE_VARIANT ?? '';
  for (const variant of Object.values(VARIANTS).filter(({ name }) => name.includes(wanted))) {
    const all = attacksOn(ATTACKS, variant).filter(({ title }) => title.includes(part));
    const chosen = all.slice(FROM, FROM + COUNT);
    print(`-- ${chosen.length} of ${all.length} attacks, ${variant.name}`);
    let field = await openBattlefield(variant);
    for (const each of chosen) {
      const report = await runAttack(field, each);
      print(describeAttack(report));
      if (!report.isHarmful) continue;
      found++;
      // The effects of one attack must not count for the next one.
      await field[Symbol.asyncDispose]();
      field = await openBattlefield(variant);
    }
    await field[Symbol.asyncDispose]();
  }
}

/** Sends SIGTERM to a service in the middle of each attack. */
async function stop(part: string): Promise<void> {
  const all = ATTACKS.filter(({ title }) => title.includes(part));
  const chosen = all.slice(FROM, FROM + COUNT);
  print(`-- SIGTERM during ${chosen.length} of ${all.length} attacks`);
  for (const each of chosen) {
    const { stoppedMs, harm } = await stopDuringAttack(each, { env: { SVC_WORKERS: '1' } });
    if (harm !== undefined) found++;
    print(
      harm === undefined ? `ok   ${each.title}: stopped in ${stoppedMs.toFixed(0)} ms` : `HARM ${each.title}: ${harm}`,
    );
  }
}

async function fuzz(): Promise<void> {
  const reports = await runFuzzers(INPUTS, chosenSeed(), print);
  found += reports.filter(({ finding }) => finding !== undefined).length;
  const sent = await fuzzSockets(chosenSeed());
  print(`${reports.reduce((sum, { inputs }) => sum + inputs, sent)} inputs`);
}

/** Sends a hundredth of the inputs to a running service; returns how many. */
async function fuzzSockets(seed: number): Promise<number> {
  print(`seed ${seed}`);
  await using service = await startService({ env: { SVC_WORKERS: '2' } });
  await createTables(service);
  const count = Math.ceil(INPUTS / 200);
  for (const fuzzer of SOCKET_FUZZERS) {
    const startMs = performance.now();
    const finding = await fuzzService(fuzzer, service.port, seed, 0, count);
    const seconds = (performance.now() - startMs) / 1000;
    print(describeReport({ fuzzer: fuzzer.name, inputs: count, seconds, finding }));
    if (finding !== undefined) found++;
  }
  return SOCKET_FUZZERS.length * count;
}

async function replay([name, index = '0', count = '1']: readonly string[]): Promise<void> {
  const socketFuzzer = SOCKET_FUZZERS.find((each) => each.name === name);
  if (socketFuzzer !== undefined) {
    await using service = await startService({ env: { SVC_WORKERS: '2' } });
    await createTables(service);
    const finding = await fuzzService(socketFuzzer, service.port, chosenSeed(), Number(index), Number(count));
    if (finding === undefined) return;
    print(describeFinding(finding));
    found++;
    return;
  }
  const share = FUZZERS.find(({ fuzzer }) => fuzzer.name === name);
  if (share === undefined) throw new Error(`There is no fuzzer ${name}: ${FUZZERS.map((each) => each.fuzzer.name)}`);
  const report = await runFuzzer(share, chosenSeed(), Number(index), Number(count));
  print(describeReport(report));
  if (report.finding !== undefined) found++;
}

if (mode === 'all' || mode === 'fuzz') await fuzz();
if (mode === 'all' || mode === 'attacks') await attack(rest[0] ?? '');
if (mode === 'all' || mode === 'stop') await stop(rest[0] ?? '');
if (mode === 'all' || mode === 'schemathesis') {
  const code = await runSchemathesis(chosenSeed(), { seconds: 120 });
  if (code === undefined) print('Schemathesis was left out: it cannot be installed here.');
  else if (code !== 0) found++;
}
if (mode === 'replay') await replay(rest);
print(`${found} found`);
process.exit(found > 0 ? 1 : 0);
