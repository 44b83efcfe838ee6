/** A cache's first entries: their keys, values and types complete a command line. */
import { type JsonNode, readJson } from '../values/json.ts';
import { connect } from './connection.ts';
import { linesOf } from './json-array.ts';
import { plainText } from './json-text.ts';
import type { ClientProgram } from './program.ts';

/** An entry as strings on a command line. */
export interface EntrySample {
  readonly key: string;
  readonly keyType: string;
  readonly value: string;
  readonly valueType: string;
}

/** More candidates would fill several screens, and the user waits for them. */
const SAMPLED_ENTRIES = 100;

/** Reads a cache's first entries. Throws CommandLineError, or the reason of `signal`. */
export async function readEntrySamples(
  cacheName: string,
  program: ClientProgram,
  signal: AbortSignal,
): Promise<readonly EntrySample[]> {
  const client = await connect({}, program);
  const lines = await client.rows('export', { cacheName }, 'application/x-ndjson', signal);
  const samples: EntrySample[] = [];
  for await (const line of linesOf(lines)) {
    const entry = readJson(line);
    if (entry.kind === 'object') samples.push(sampleOf(entry.members));
    if (samples.length === SAMPLED_ENTRIES) break;
  }
  return samples;
}

function sampleOf(members: ReadonlyMap<string, JsonNode>): EntrySample {
  const text = (name: string) => plainText(members.get(name) ?? { kind: 'null' });
  return { key: text('key'), keyType: text('keyType'), value: text('value'), valueType: text('valueType') };
}
