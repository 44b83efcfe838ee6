/** Runs the examples of all commands in Python, Go and Java, as the reference shows them: one program per language. */
import { setDefaultTimeout, test } from 'bun:test';
import type { JsonSchema } from '../../../src/commands/reply.ts';
import { GO } from '../../../src/samples/go.ts';
import { JAVA } from '../../../src/samples/java.ts';
import { needsOf } from '../../../src/samples/program.ts';
import { PYTHON } from '../../../src/samples/python.ts';
import { programOf } from '../../../src/samples/samples.ts';
import { missingProgram, pythonEnvironment, runProgram, writeGoModule } from '../../clients/programs.ts';
import { envelopeResponse, jsonResponse, markOf, runExamples, writeProgram } from '../../documentation/example-runs.ts';

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
    jsonResponse,
  ),
);

/** Prints results as JSON; members that a response omits are null. */
const GO_SHOW = `package main

import (
	"encoding/json"
	"fmt"
	"log"
	"reflect"
	"strings"
)

func show(value any) {
	text, err := json.Marshal(plain(reflect.ValueOf(value)))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(text))
}

func plain(value reflect.Value) any {
	switch {
	case !value.IsValid() || value.Kind() == reflect.Pointer && value.IsNil():
		return nil
	case value.CanInterface() && value.Type().Implements(reflect.TypeFor[json.Marshaler]()):
		return value.Interface()
	case value.Kind() == reflect.Pointer || value.Kind() == reflect.Interface:
		return plain(value.Elem())
	case value.Kind() == reflect.Slice && !value.IsNil():
		list := []any{}
		for at := range value.Len() {
			list = append(list, plain(value.Index(at)))
		}
		return list
	case value.Kind() == reflect.Struct:
		members := map[string]any{}
		for at := range value.NumField() {
			name, _, _ := strings.Cut(value.Type().Field(at).Tag.Get("json"), ",")
			if name == "" {
				name = strings.ToLower(value.Type().Field(at).Name)
			}
			members[name] = plain(value.Field(at))
		}
		return members
	}
	return value.Interface()
}
`;

/** Removes members that are null because the response omits them, as its schema allows. */
function withoutUnset(value: unknown, schema: JsonSchema): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => withoutUnset(each, Object(schema.items)));
  const { properties, required } = schema;
  if (properties === undefined) return value;
  const names: readonly unknown[] = Array.isArray(required) ? required : [];
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, member]) => member !== null || names.includes(name))
      .map(([name, member]) => [name, withoutUnset(member, Object(Reflect.get(Object(properties), name)))]),
  );
}

testWith('go', 'Go', () =>
  runExamples(
    GO,
    (batch) => {
      const { endpoint, needsLogin, examples } = batch;
      const needs = needsOf(
        endpoint,
        examples.flatMap(({ requests }) => requests),
        needsLogin,
      );
      const { before, after } = GO.setup({ ...needs, readsStream: !needsLogin });
      const calls = examples.map(
        (example) =>
          `fmt.Println("${markOf(example)}")\nfunc() {\n${GO.calls(example.requests, needs).replaceAll('fmt.Println(', 'show(')}\n}()`,
      );
      writeGoModule(batch.folder);
      writeProgram(batch, 'show.go', GO_SHOW);
      writeProgram(batch, 'main.go', `${before}${calls.join('\n')}\n${after}`);
      return runProgram(['go', 'run', '-C', batch.folder, '.'], { GOFLAGS: '-mod=mod' });
    },
    (printed, schema) => withoutUnset(jsonResponse(printed), schema),
  ),
);

testWith('java', 'Java', () =>
  runExamples(
    JAVA,
    (batch) => {
      const { endpoint, needsLogin, examples } = batch;
      const needs = { ...needsOf(endpoint, [], needsLogin), usesMember: true };
      const { before, after } = JAVA.setup(needs);
      const functions = examples.map(
        ({ name, requests }) => `static void ${name}Example() throws Exception {\n${JAVA.calls(requests, needs)}\n}\n`,
      );
      const calls = examples.map((example) => `System.out.println("${markOf(example)}");\n${example.name}Example();\n`);
      const main = '  public static void main(String[] args) throws Exception {';
      const text = `${before.replace(main, `${functions.join('')}${main}`)}${calls.join('')}${after}`;
      return runProgram(['java', writeProgram(batch, 'Program.java', text)]);
    },
    envelopeResponse,
  ),
);
