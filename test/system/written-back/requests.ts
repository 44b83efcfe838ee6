/** Requests whose JSON keeps every number as it is written, which JSON.parse does not. */
import { expect } from 'bun:test';
import { SvcClient } from '../../../src/client/client.ts';
import type { JsonInput } from '../../../src/client/commands.ts';
import { parseExact } from '../../../src/client/exact-json.ts';
import { type JsonNode, readJson } from '../../../src/values/json.ts';
import { queryOf } from '../service-process.ts';

/** JSON that is part of a body as it is. */
export class Raw {
  readonly json: string;

  constructor(json: string) {
    this.json = json;
  }
}

export const raw = (json: string): Raw => new Raw(json);

export type Parameters = Readonly<Record<string, unknown>>;

export function write(value: unknown): string {
  if (value instanceof Raw) return value.json;
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, member]) => `${JSON.stringify(name)}:${write(member)}`)
    .join(',')}}`;
}

function sourceOf(node: JsonNode, text: string): string {
  switch (node.kind) {
    case 'null':
      return 'null';
    case 'boolean':
      return String(node.value);
    case 'number':
      return node.text;
    case 'string':
      return JSON.stringify(node.value);
    case 'array':
    case 'object':
      return text.slice(node.start, node.end);
  }
}

/** A JSON text, of which parts are taken as they are in it. */
export class Source {
  readonly #text: string;
  readonly #node: JsonNode;

  constructor(text: string, node = readJson(text)) {
    this.#text = text;
    this.#node = node;
  }

  get json(): string {
    return sourceOf(this.#node, this.#text);
  }

  /** A string without quotes, anything else as {@link json}. */
  get text(): string {
    return textOf(this.json);
  }

  get items(): readonly Source[] {
    if (this.#node.kind !== 'array') throw new Error(`no array: ${this.#text}`);
    return this.#node.items.map((node) => new Source(this.#text, node));
  }

  /** Returns a member of an object, or undefined if it lacks it. */
  member(name: string): Source | undefined {
    const node = this.#node.kind === 'object' ? this.#node.members.get(name) : undefined;
    return node && new Source(this.#text, node);
  }

  /** Returns the member at a path. Throws if there is none. */
  at(...path: readonly string[]): Source {
    let found: Source = this;
    for (const name of path) {
      const next = found.member(name);
      if (next === undefined) throw new Error(`no ${name} in ${found.json}`);
      found = next;
    }
    return found;
  }

  get names(): readonly string[] {
    return this.#node.kind === 'object' ? [...this.#node.members.keys()] : [];
  }
}

/** Returns the text of a value in an address or in CSV: a string without quotes, anything else as JSON has it. */
export function textOf(json: string): string {
  return json.startsWith('"') ? String(JSON.parse(json)) : json;
}

/** Returns what a program passes to the client for TypeScript. */
export function clientInput(json: string): JsonInput {
  const value = parseExact(json);
  if (value === null) throw new Error('the client takes no null');
  return value;
}

const CONTRACT = { prefer: 'compatibility=contract' };

/** A program that executes calls of a client. */
export interface Program {
  call(method: string, parameters: Parameters): Promise<Source>;
}

/** Requests to one service. */
export class Requests {
  readonly isCluster: boolean;
  /** The client for TypeScript. */
  readonly client: SvcClient;
  readonly #service: { readonly url: string };
  readonly #program: Program | undefined;

  constructor(service: { readonly url: string }, isCluster = false, program?: Program) {
    this.#service = service;
    this.#program = program;
    this.client = new SvcClient({ url: service.url });
    this.isCluster = isCluster;
  }

  /** Sends a command as JSON and returns the source of its response. Throws for an error. */
  async command(body: Parameters, notation = 'dates=iso'): Promise<Source> {
    const headers = { 'content-type': 'application/json', prefer: `compatibility=contract, ${notation}` };
    const sent = write(body);
    const text = await (await fetch(this.#service.url, { method: 'POST', headers, body: sent })).text();
    const answer = new Source(text);
    if (answer.at('error').json !== 'null') throw new Error(`${sent}: ${answer.at('error').json}`);
    return answer.at('response');
  }

  /** Executes a call of the client in another language. */
  async ofProgram(method: string, parameters: Parameters): Promise<Source> {
    if (this.#program === undefined) throw new Error('there is no program');
    return this.#program.call(method, parameters);
  }

  /** Sends a command as a form. Throws for an error. */
  async form(parameters: Parameters): Promise<Source> {
    const body = new URLSearchParams();
    for (const [name, value] of Object.entries(parameters)) body.set(name, String(value));
    const answer = new Source(
      await (await fetch(this.#service.url, { method: 'POST', headers: CONTRACT, body })).text(),
    );
    if (answer.at('error').json !== 'null') throw new Error(`${body}: ${answer.at('error').json}`);
    return answer.at('response');
  }

  run(qry: string, parameters: Parameters = {}, notation?: string): Promise<Source> {
    return this.command({ cmd: 'qryfldexe', pageSize: 1_000, qry, ...parameters }, notation);
  }

  /** Sends a request to an address below the service's path. Throws unless its status is below 400. */
  async resource(method: string, path: string, body?: string, headers: Readonly<Record<string, string>> = {}) {
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const init = { method, headers: { ...type, ...headers }, ...(body !== undefined && { body }) };
    const answer = await fetch(`${this.#service.url}${path}`, init);
    const text = await answer.text();
    if (answer.status >= 400) throw new Error(`${method} ${path} ${body ?? ''}: ${text}`);
    return { text, status: answer.status, headers: answer.headers };
  }

  async exported(parameters: Readonly<Record<string, string>>): Promise<string> {
    return (await fetch(`${this.#service.url}?${queryOf({ cmd: 'export', ...parameters })}`)).text();
  }

  async imported(parameters: Readonly<Record<string, string>>, body: string): Promise<void> {
    const type = parameters.format === 'csv' ? 'text/csv' : 'application/x-ndjson';
    const init = { method: 'POST', headers: { 'content-type': type }, body };
    const text = await (await fetch(`${this.#service.url}?${queryOf({ cmd: 'import', ...parameters })}`, init)).text();
    expect(new Source(text).at('error').json).toBe('null');
  }

  /** Returns the changes of a cache so far, as lines of JSON. */
  async changes(cacheName: string): Promise<readonly Source[]> {
    const query = queryOf({ cmd: 'watch', cacheName, from: 'start', follow: 'false' });
    const text = await (await fetch(`${this.#service.url}?${query}`)).text();
    return text
      .trimEnd()
      .split('\n')
      .map((line) => new Source(line));
  }
}

/** Writes values, whose JSON is given, as CSV. */
export function csvOf(names: readonly string[], records: ReadonlyArray<readonly string[]>): string {
  const field = (json: string): string => (json === 'null' ? '' : `"${textOf(json).replaceAll('"', '""')}"`);
  return [names.join(','), ...records.map((each) => each.map(field).join(','))].join('\n');
}

const CSV_FIELD = /(?:"((?:[^"]|"")*)"|([^,\r\n]*))(,|\r?\n|$)/y;

/** Reads CSV as an export writes it: an empty field without quotes is null. */
export function csvRecords(text: string): (readonly (string | null)[])[] {
  const records: (string | null)[][] = [];
  let record: (string | null)[] = [];
  CSV_FIELD.lastIndex = 0;
  while (CSV_FIELD.lastIndex < text.length) {
    const [, quoted, plain, end] = CSV_FIELD.exec(text) ?? [];
    if (end === undefined) throw new Error(`no CSV: ${text}`);
    record.push(quoted === undefined ? plain || null : quoted.replaceAll('""', '"'));
    if (end === ',') continue;
    records.push(record);
    record = [];
  }
  return records;
}
