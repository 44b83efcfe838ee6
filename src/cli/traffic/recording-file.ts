/** Reads recordings. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { errorText } from '../../base/errors.ts';
import { type Exchange, readExchange } from '../../replay/exchange.ts';
import { usageError } from '../failures.ts';
import { existingFile } from '../local-path.ts';
import type { Terminal } from '../program.ts';

const STREAM = '-';

/** Yields a recording's requests in the order in which they started. Throws CommandLineError. */
export async function* readRecording(file: string, terminal: Terminal): AsyncGenerator<Exchange> {
  const input = file === STREAM ? terminal.input : createReadStream(existingFile(terminal.cwd, file).path);
  const lines = createInterface({ input });
  let line = 0;
  const held: Exchange[] = [];
  for await (const text of lines) {
    line++;
    if (text.trim() === '') continue;
    insert(held, exchangeOf(text, `${file}:${line}`));
    const first = held.length > REORDERED ? held.shift() : undefined;
    if (first !== undefined) yield first;
  }
  yield* held;
}

/** Requests are recorded when they are answered, so this many later ones may be recorded before a slow one. */
const REORDERED = 4_096;

function insert(held: Exchange[], exchange: Exchange): void {
  let at = held.length;
  while (at > 0 && (held[at - 1]?.atMs ?? 0) > exchange.atMs) at--;
  held.splice(at, 0, exchange);
}

function exchangeOf(text: string, where: string): Exchange {
  try {
    return readExchange(text);
  } catch (error) {
    throw usageError(`${where}: ${errorText(error)}`);
  }
}
