/** Two services that run the same histories, and the ways in which operations are sent to one. */

import { expect } from 'bun:test';
import { join } from 'node:path';
import { BUN, MAIN } from '../program.ts';
import { queryOf, type ServiceProcess } from '../service-process.ts';
import type { Operation, Way } from './steps.ts';
import { Together } from './together.ts';

/** JSON with numbers as written, for comparison. */
export type Exact = string | boolean | null | readonly Exact[] | { readonly [name: string]: Exact };

/** Reads JSON; numbers become strings that begin with `#`. */
export function exact(json: string): Exact {
  const read = (_name: string, value: unknown, context?: { readonly source?: string }): unknown =>
    typeof value === 'number' ? `#${context?.source}` : value;
  return JSON.parse(json, read) as Exact;
}

/** The response of a command, or why it was rejected. */
export type Outcome = { readonly response: Exact; readonly error?: undefined } | { readonly error: string };

export function isRejected(outcome: Outcome): outcome is { readonly error: string } {
  return outcome.error !== undefined;
}

interface Envelope {
  readonly successStatus: Exact;
  readonly error: string | null;
  readonly response: Exact;
}

function outcomeOf(envelope: Exact): Outcome {
  const { error, response } = envelope as unknown as Envelope;
  if (error === null) return { response };
  if (String(error).includes('Internal error')) throw new Error(String(error));
  // Suggestions name other existing objects, and a dry run uses its own name.
  return {
    error: String(error)
      .replace(/; did you mean .*\?\)/, ')')
      .replace(/req=\w+/, 'req'),
  };
}

const JSON_TYPE = { 'content-type': 'application/json', prefer: 'errors=text, compatibility=contract' };

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The parameters of a command as a query string has them. */
function flat(operation: Operation): Record<string, string> {
  const parameters: Record<string, string> = {};
  for (const [name, value] of Object.entries(operation)) {
    if (name === 'keys' || name === 'values') {
      for (const [index, item] of (value as readonly unknown[]).entries())
        parameters[`${name.charAt(0)}${index + 1}`] = textOf(item);
    } else parameters[name] = textOf(value);
  }
  return parameters;
}

let keys = 0;

/** What a cache has under a key. */
export interface Entry {
  readonly key: Exact;
  readonly value: Exact;
  readonly keyType: string;
  readonly valueType: string;
  readonly expires: Exact;
}

/** Numbers as they were. */
function unmarked(value: Exact): unknown {
  return JSON.parse(JSON.stringify(value), (_name, each: unknown) =>
    typeof each === 'string' ? each.replace(/^#/, '') : each,
  );
}

function ordered(entries: readonly Entry[]): Entry[] {
  const texts = new Map(entries.map((entry) => [entry, JSON.stringify(entry)]));
  return entries.toSorted((one, two) => ((texts.get(one) ?? '') < (texts.get(two) ?? '') ? -1 : 1));
}

/** Commands in one request, and caches in one statement. */
const MOST_READS = 200;
const MOST_CACHES = 40;

/** One of the two services. */
export class Side {
  service: ServiceProcess;
  readonly cluster: string | undefined;
  readonly #reads = new Together(MOST_READS, (commands: readonly Operation[]) => this.#readTogether(commands));
  readonly #entries = new Together(MOST_CACHES, (caches: readonly string[]) => this.#entriesTogether(caches));
  /** How many requests it has sent. */
  requests = 0;

  /** `cluster`: the address of what the service is in front of. */
  constructor(service: ServiceProcess, cluster?: string) {
    this.service = service;
    this.cluster = cluster;
  }

  #fetch(path: string, init?: RequestInit): Promise<Response> {
    this.requests++;
    return fetch(`${this.service.url}${path}`, init);
  }

  async #outcome(init: RequestInit, query = ''): Promise<Outcome> {
    const answer = await this.#fetch(`?${query}`, init);
    const text = await answer.text();
    return outcomeOf(exact(text));
  }

  json(parameters: Operation, headers: Readonly<Record<string, string>> = {}): Promise<Outcome> {
    return this.#outcome({ method: 'POST', headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(parameters) });
  }

  async send(cacheName: string, operation: Operation, way: Way): Promise<Outcome> {
    const parameters = { ...operation, cacheName };
    switch (way) {
      case 'query':
        return this.#outcome({}, queryOf(flat(parameters)));
      case 'json':
        return this.json(parameters);
      case 'reference':
        return this.json(parameters, { prefer: 'errors=text, compatibility=reference' });
      case 'batch': {
        const together = await this.json({ cmd: 'batch', commands: [parameters] });
        if (isRejected(together)) return together;
        const [first = null] = together.response as readonly Exact[];
        return outcomeOf(first);
      }
      case 'once': {
        const headers = { 'idempotency-key': `${process.pid}-${keys++}` };
        const first = await this.json(parameters, headers);
        const again = await this.json(parameters, headers);
        // A node may not say whether it has stored a change.
        if (!isRejected(first) || !first.error.includes('outcome of the operation is unknown'))
          expect([operation, again]).toEqual([operation, first]);
        return first;
      }
      case 'dry': {
        const dry = await this.json({ ...parameters, cmd: 'dryrun', of: operation.cmd });
        const done = await this.json(parameters);
        const foreseen = isRejected(dry) ? dry : { response: (dry.response as { response: Exact }).response };
        expect(['dry run', operation, foreseen]).toEqual(['dry run', operation, done]);
        return done;
      }
      case 'resource':
        return this.#resource(cacheName, operation);
      case 'import':
        return this.#imported(cacheName, operation);
    }
  }

  async #resource(cacheName: string, { cmd, key, keyType, val, valueType, ttlMs }: Operation): Promise<Outcome> {
    const method = { get: 'GET', put: 'PUT', putifabs: 'POST', rmv: 'DELETE' }[cmd] ?? cmd;
    const { cmd: _, ...types } = flat({
      ...{ cmd, keyType },
      ...(val !== undefined && { valueType }),
      ...(ttlMs !== undefined && { ttlMs }),
    });
    const path = `/caches/${cacheName}/entries/${encodeURIComponent(textOf(key))}?${queryOf(types)}`;
    const answer = await this.#fetch(path, {
      method,
      ...(val !== undefined && { body: JSON.stringify(val), headers: { 'content-type': 'application/json' } }),
    });
    const text = await answer.text();
    if (answer.status === 404 && cmd === 'get') return { response: null };
    if (answer.status === 404 && cmd === 'rmv') return { response: false };
    // An entry that exists rejects POST.
    if (answer.status === 409 && cmd === 'putifabs' && text.includes('"ENTRY_EXISTS"')) return { response: false };
    if (!answer.ok) return { error: text };
    return { response: cmd === 'get' ? exact(text) : true };
  }

  async #imported(cacheName: string, { key, val, keyType, valueType }: Operation): Promise<Outcome> {
    const outcome = await this.importLines(
      { cacheName },
      `${JSON.stringify({ key, value: val, keyType, valueType })}\n`,
    );
    return isRejected(outcome) ? outcome : { response: true };
  }

  importLines(parameters: Readonly<Record<string, string>>, body: string): Promise<Outcome> {
    const headers = { 'content-type': 'application/x-ndjson' };
    return this.#outcome({ method: 'POST', headers, body }, queryOf({ cmd: 'import', ...parameters }));
  }

  /** A command that reads, sent together with those of other histories. */
  read(command: Operation): Promise<Outcome> {
    return this.#reads.ask(command);
  }

  async #readTogether(commands: readonly Operation[]): Promise<Outcome[]> {
    const together = await this.json({ cmd: 'batch', commands });
    if (isRejected(together)) throw new Error(together.error);
    return (together.response as readonly Exact[]).map(outcomeOf);
  }

  /** Returns the entries of a cache in a fixed order, read together with those of other caches. */
  entries(cache: string): Promise<Entry[]> {
    // A cluster has no statement for them.
    return this.cluster === undefined ? this.#entries.ask(cache) : this.exportedEntries(cache);
  }

  async #entriesTogether(caches: readonly string[]): Promise<Entry[][]> {
    const parts = caches.map(
      (cache, index) => `SELECT ${index}, _key, key_type, _val, value_type, expires FROM "${cache}".ENTRIES`,
    );
    const rows = await this.statement(parts.join(' UNION ALL '), { pageSize: 100_000 });
    if (isRejected(rows)) throw new Error(rows.error);
    const found: Entry[][] = caches.map(() => []);
    for (const row of rows.response as ReadonlyArray<readonly Exact[]>) {
      const [index, key = null, keyType, value = null, valueType, expires = null] = row;
      const entry = { key, keyType: String(keyType), value, valueType: String(valueType), expires };
      found[Number(String(index).slice(1))]?.push(entry);
    }
    return found.map(ordered);
  }

  /** Removes a cache with its table. */
  async destroy({ cache, table }: { readonly cache: string; readonly table: string }): Promise<void> {
    if (this.cluster === undefined) await this.json({ cmd: 'destcache', cacheName: cache });
    else await this.statement(`DROP TABLE IF EXISTS ${table}`);
  }

  /** The lines of an export have an exact form for values that a put of their JSON would store differently. */
  async exportedEntries(cacheName: string): Promise<Entry[]> {
    const lines = await this.exported({ cacheName });
    return ordered(await Promise.all(lines.map((line) => this.#shown(cacheName, exact(line) as unknown as Entry))));
  }

  /** What a get shows. */
  async #shown(cacheName: string, { expires = null, ...entry }: Entry): Promise<Entry> {
    const { key, keyType, value, valueType } = entry;
    const found = { key, keyType, value, valueType, expires };
    if (valueType !== 'SvcValue') return found;
    const keyText = typeof key === 'string' ? key.replace(/^#/, '') : unmarked(key);
    const got = await this.read({ cmd: 'get', cacheName, keyType, key: keyText });
    if (isRejected(got)) throw new Error(got.error);
    const { object = valueType } = value as { readonly object?: string };
    return { ...found, value: got.response, valueType: object };
  }

  batch(cacheName: string, operations: readonly Operation[], atomic: boolean): Promise<Outcome> {
    return this.json({ cmd: 'batch', commands: operations.map((each) => ({ ...each, cacheName })), atomic });
  }

  dryBatch(cacheName: string, operations: readonly Operation[]): Promise<Outcome> {
    const commands = operations.map((each) => ({ ...each, cacheName }));
    return this.json({ cmd: 'dryrun', of: 'batch', commands, atomic: true });
  }

  /** Returns the rows of a statement, or why it was rejected. */
  async statement(qry: string, further: Readonly<Record<string, unknown>> = {}): Promise<Outcome> {
    const outcome = await this.json({ cmd: 'qryfldexe', pageSize: 1000, qry, ...further });
    return isRejected(outcome) ? outcome : { response: (outcome.response as { items: Exact }).items };
  }

  async page(parameters: Operation): Promise<Page> {
    const outcome = await this.json(parameters);
    if (isRejected(outcome)) throw new Error(outcome.error);
    return outcome.response as unknown as Page;
  }

  async text(path: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
    return (await this.#fetch(path, { headers })).text();
  }

  /** Returns the lines of an export in their order. */
  async exported(query: Readonly<Record<string, string>>): Promise<string[]> {
    const text = await this.text(`?${queryOf({ cmd: 'export', ...query })}`);
    return text.split('\n').filter((line) => line !== '');
  }
}

export interface Page {
  readonly fieldsMetadata: ReadonlyArray<{ readonly fieldName: string }>;
  readonly items: readonly Exact[];
  readonly last: boolean;
  readonly queryId: string;
}

/** Runs `svc` and throws unless it succeeds. */
export async function runProgram(args: readonly string[]): Promise<void> {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(?:SVC_|CI$|FORCE_COLOR)/.test(name));
  const child = Bun.spawn([BUN, MAIN, ...args], {
    cwd: join(import.meta.dir, '../../..'),
    env: { ...Object.fromEntries(inherited), NO_COLOR: '1' },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  if ((await child.exited) !== 0) throw new Error(`svc ${args.join(' ')}: ${output}${errors}`);
}
