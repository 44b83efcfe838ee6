/** Runs the examples of all commands in Python, Go and Java, as the reference shows them: one program of each. */
import { setDefaultTimeout, test } from 'bun:test';
import { GO } from '../../../src/samples/go.ts';
import { JAVA } from '../../../src/samples/java.ts';
import { type Language, needsOf } from '../../../src/samples/program.ts';
import { PYTHON } from '../../../src/samples/python.ts';
import { programOf } from '../../../src/samples/samples.ts';
import { missingProgram, pythonEnvironment, runProgram } from '../../clients/programs.ts';
import { type Batch, envelopeResponse, markOf, runExamples, writeProgram } from '../../documentation/example-runs.ts';

setDefaultTimeout(240_000);

/** Defines a test that is skipped, with a line that says why, where its program is missing. In CI it fails. */
function testWith(program: string, title: string, run: () => Promise<void>): void {
  const missing = process.env.SVC_TEST_CI === 'true' ? undefined : missingProgram(program);
  if (missing === undefined) test(title, run);
  else test.skip(`${title} (${missing})`, () => {});
}

testWith('python3', 'Python', () =>
  runExamples(
    PYTHON,
    async (batch) => {
      const programs = batch.examples.map((example) => [
        markOf(example),
        programOf(PYTHON, batch.endpoint, example.requests, batch.needsLogin),
      ]);
      const runner = [
        'import builtins, dataclasses, json',
        'def plain(value):',
        '    return dataclasses.asdict(value) if dataclasses.is_dataclass(value) else str(value)',
        // What is printed is compared as JSON; parts of a stream are printed as they are.
        'def show(value, end=None):',
        '    builtins.print(json.dumps(value, default=plain) if end is None else value, end="\\n" if end is None else end)',
        `for mark, text in json.loads(${JSON.stringify(JSON.stringify(programs))}):`,
        '    builtins.print(mark)',
        '    exec(compile(text, mark, "exec"), {"print": show})',
      ];
      return runProgram(['python3', writeProgram(batch, 'examples.py', runner.join('\n'))], await pythonEnvironment());
    },
    JSON.parse,
  ),
);

/** Returns one program with a function for each example. */
function oneProgram(
  language: Language,
  { endpoint, needsLogin, examples }: Batch,
  functionOf: (name: string, calls: string) => string,
  main: string,
  callOf: (mark: string, name: string) => string,
): string {
  const needs = { ...needsOf(endpoint, [], needsLogin), usesMember: true };
  const { before, after } = language.setup(needs);
  const functions = examples.map(({ name, requests }) => functionOf(`${name}Example`, language.calls(requests, needs)));
  const calls = examples.map((example) => callOf(markOf(example), `${example.name}Example`));
  return `${before.replace(main, `${functions.join('\n')}\n${main}`)}${calls.join('\n')}\n${after}`;
}

testWith('go', 'Go', () =>
  runExamples(
    GO,
    (batch) => {
      const text = oneProgram(
        GO,
        batch,
        (name, calls) => `func ${name}() {\n${calls}\n}`,
        'func main() {',
        (mark, name) => `fmt.Println("${mark}")\n${name}()`,
      );
      return runProgram(['go', 'run', writeProgram(batch, 'examples.go', text)], { GOFLAGS: '-mod=mod' });
    },
    envelopeResponse,
  ),
);

testWith('java', 'Java', () =>
  runExamples(
    JAVA,
    (batch) => {
      const text = oneProgram(
        JAVA,
        batch,
        (name, calls) => `static void ${name}() throws Exception {\n${calls}\n}`,
        '  public static void main(String[] args) throws Exception {',
        (mark, name) => `System.out.println("${mark}");\n${name}();`,
      );
      return runProgram(['java', writeProgram(batch, 'Program.java', text)]);
    },
    envelopeResponse,
  ),
);
