/** All fuzzers that run inside a process, with their share of the inputs. */
import { type AnyFuzzer, anyFuzzer } from './fuzzer.ts';
import { httpFuzzer } from './http-bytes.ts';
import { jsonFuzzer } from './json-bodies.ts';
import { parametersFuzzer } from './parameters.ts';
import { proxyFuzzer } from './proxy-headers.ts';
import { statementsFuzzer } from './sql-statements.ts';
import { tokensFuzzer } from './sql-tokens.ts';
import { typedFuzzer } from './typed-values.ts';
import { wireFuzzer } from './wire-answers.ts';

export interface Share {
  readonly fuzzer: AnyFuzzer;
  /** Inputs among 100. */
  readonly percent: number;
}

export const FUZZERS: readonly Share[] = [
  { fuzzer: anyFuzzer(httpFuzzer()), percent: 18 },
  { fuzzer: anyFuzzer(parametersFuzzer()), percent: 22 },
  { fuzzer: anyFuzzer(jsonFuzzer()), percent: 15 },
  { fuzzer: anyFuzzer(typedFuzzer()), percent: 18 },
  { fuzzer: anyFuzzer(proxyFuzzer()), percent: 1 },
  { fuzzer: anyFuzzer(tokensFuzzer()), percent: 15 },
  { fuzzer: anyFuzzer(statementsFuzzer()), percent: 2 },
  { fuzzer: wireFuzzer(), percent: 9 },
];
