/** Fuzzes a running service: every request is answered, with valid HTTP and valid JSON, and never with INTERNAL. */

import { Random } from '../../simulation/random.ts';
import { AnswerReader } from '../attacks/http-client.ts';
import { type Finding, seedOf } from './fuzzer.ts';
import { readModelStream } from './http-model.ts';
import { generateStream } from './http-streams.ts';
import { smallerTexts } from './mutations.ts';
import { generateRequest } from './requests.ts';

/** The bytes to send on one connection, and the number of answers that they need. */
interface Script {
  readonly bytes: Buffer;
  readonly methods: readonly string[];
  readonly answers: number;
  /** No more is sent afterwards: the service has to close the connection. */
  readonly ends: boolean;
  /** The answer may be rows, which an error after the first ones ends early (docs/import.md). */
  readonly mayBeCut: boolean;
}

export interface SocketFuzzer {
  readonly name: string;
  generate(random: Random): string;
  script(input: string): Script;
  /** Whether a part of an input is also an input, so that it can be shrunk. */
  readonly shrinks: boolean;
  /** Returns the problem with an answer that is valid HTTP and JSON, if there is one. */
  judge(body: string): string | undefined;
}

/** Time after which a missing answer counts as a failure, in milliseconds. */
const ANSWER_LIMIT_MS = 20_000;
const CONNECTIONS = 8;
const CUT_STREAM = 'the connection ended inside an answer: HTTP/1.1 200 OK';

/** Streams of HTTP, each on a separate connection. */
export const HTTP_OVER_SOCKET: SocketFuzzer = {
  name: 'socket-http',
  generate: generateStream,
  shrinks: true,
  script(stream) {
    const model = readModelStream(stream, { headBytes: 16 * 1024, bodyBytes: 64 * 1024 * 1024 });
    return {
      bytes: Buffer.from(stream, 'latin1'),
      methods: model.requests.map(({ method }) => method),
      answers: model.requests.length + (model.end === 'rejected' ? 1 : 0),
      ends: true,
      mayBeCut: false,
    };
  },
  judge: judgeEnvelope,
};

/** Commands, pipelined on few connections. */
export const COMMANDS_OVER_SOCKET: SocketFuzzer = {
  name: 'socket-commands',
  generate: (random) => generateRequest(random).toString('latin1'),
  shrinks: false,
  script: (request) => ({
    bytes: Buffer.from(request, 'latin1'),
    methods: [],
    answers: 1,
    ends: false,
    // Another request may destroy the cache meanwhile.
    mayBeCut: request.includes('export'),
  }),
  judge: judgeEnvelope,
};

export const SOCKET_FUZZERS: readonly SocketFuzzer[] = [HTTP_OVER_SOCKET, COMMANDS_OVER_SOCKET];

function judgeEnvelope(body: string): string | undefined {
  return body.includes('Internal error') ? body.slice(0, 500) : undefined;
}

/** Sends `count` inputs to a service; returns the first one that it answers wrongly. */
export async function fuzzService(
  fuzzer: SocketFuzzer,
  port: number,
  seed: number,
  from: number,
  count: number,
): Promise<Finding | undefined> {
  let next = from;
  let finding: Finding | undefined;
  const work = async (): Promise<void> => {
    let connection: Connection | undefined;
    while (finding === undefined && next < from + count) {
      const index = next++;
      const input = fuzzer.generate(new Random(seedOf(seed, index)));
      const script = fuzzer.script(input);
      connection = script.ends || connection?.isOpen !== true ? await connect(port) : connection;
      const reason = await connection.perform(script, fuzzer);
      if (reason === undefined) continue;
      const quoted = JSON.stringify(input);
      finding ??= { fuzzer: fuzzer.name, seed, index, reason, input: quoted, smallest: quoted };
      if (fuzzer.shrinks) finding = { ...finding, ...(await shrink(fuzzer, port, input, reason)) };
    }
    connection?.close();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
  return finding;
}

/** Streams that shrinking may send. */
const SHRINK_STREAMS = 300;

async function shrink(fuzzer: SocketFuzzer, port: number, input: string, reason: string) {
  let best = { reason, smallest: input };
  let left = SHRINK_STREAMS;
  for (let found = true; found; ) {
    found = false;
    for (const smallest of smallerTexts(best.smallest)) {
      if (left-- <= 0) break;
      const other = await (await connect(port)).perform(fuzzer.script(smallest), fuzzer);
      if (other === undefined) continue;
      best = { reason: other, smallest };
      found = true;
      break;
    }
  }
  return { reason: best.reason, smallest: JSON.stringify(best.smallest) };
}

interface Connection {
  readonly isOpen: boolean;
  /** Sends a script and waits for its answers; returns the problem with them. */
  perform(script: Script, fuzzer: SocketFuzzer): Promise<string | undefined>;
  close(): void;
}

async function connect(port: number): Promise<Connection> {
  let reader = new AnswerReader([]);
  let isOpen = true;
  let wake = () => {};
  const ended = () => {
    isOpen = false;
    wake();
  };
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port,
    allowHalfOpen: true,
    socket: {
      data(_socket, bytes) {
        reader.take(bytes);
        wake();
      },
      end: ended,
      close: ended,
      error: ended,
    },
  });
  return {
    get isOpen() {
      return isOpen;
    },
    async perform({ bytes, methods, answers, ends, mayBeCut }, { judge }) {
      reader = new AnswerReader(methods);
      socket.write(bytes);
      socket.flush();
      if (ends) socket.shutdown();
      const deadlineMs = performance.now() + ANSWER_LIMIT_MS;
      const isOver = () => !isOpen || reader.invalid !== undefined || (!ends && reader.answers.length >= answers);
      while (!isOver() && performance.now() < deadlineMs) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ANSWER_LIMIT_MS);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      if (ends) socket.terminate();
      if (mayBeCut && !isOpen && reader.rest()?.startsWith(CUT_STREAM)) return undefined;
      const invalid = reader.invalid ?? reader.rest();
      if (invalid !== undefined) return invalid;
      if (reader.answers.length !== answers) return `${reader.answers.length} answers, expected ${answers}`;
      return reader.answers.map(({ body }) => judge(body)).find((reason) => reason !== undefined);
    },
    close: () => socket.terminate(),
  };
}
