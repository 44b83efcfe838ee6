/**
 * `svc test-service`: a service for the tests of programs in other languages. A program starts it, writes calls to its
 * standard input, each a line of JSON, and reads an answer to each from its standard output.
 */
import { createInterface } from 'node:readline';
import { errorText } from '../../base/errors.ts';
import type { Terminal } from '../../cli/program.ts';
import { testServiceHelpText } from '../../documentation/help.ts';
import { type Fixture, startTestService, type TestService } from '../../testing.ts';

/** A call of a test service. */
type TestRequest =
  | { readonly call: 'load'; readonly fixtures: readonly Fixture[] }
  | { readonly call: 'advance'; readonly ms: number }
  | { readonly call: 'snapshot' | 'reset' };

/** The first line of the output, or the answer to a call. */
type TestReply = { readonly url: string } | { readonly error: string } | Readonly<Record<string, never>>;

/** Runs a service with these options until the input ends or a signal arrives. Returns the exit code. */
export async function serveTests(argv: readonly string[], terminal: Terminal): Promise<number> {
  if (argv.some((each) => each === '--help' || each === '-h')) {
    await terminal.print(testServiceHelpText());
    return 0;
  }
  // From here on, a signal does not cut the start off, which would leave its folder.
  const { interrupted } = terminal;
  const reply = (message: TestReply) => terminal.print(`${JSON.stringify(message)}\n`);
  let service: TestService;
  try {
    service = await startTestService({ args: argv });
  } catch (error) {
    await reply({ error: errorText(error) });
    return 1;
  }
  await reply({ url: service.url });
  for await (const line of createInterface({ input: terminal.input, signal: interrupted })) {
    await reply(
      await call(service, line).then(
        () => ({}),
        (error: unknown) => ({ error: errorText(error) }),
      ),
    );
  }
  await service.stop();
  return 0;
}

async function call(service: TestService, line: string): Promise<void> {
  const request = JSON.parse(line) as TestRequest;
  switch (request.call) {
    case 'load':
      return service.load(...request.fixtures);
    case 'advance':
      return service.advance(request.ms);
    case 'snapshot':
    case 'reset':
      return service[request.call]();
    default:
      throw new TypeError(`a call is load, advance, snapshot or reset, got ${line}`);
  }
}
