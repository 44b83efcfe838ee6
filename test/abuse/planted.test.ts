/** Plants defects into the subjects of the fuzzers. Every fuzzer must find each of its defects. */
import { expect, test } from 'bun:test';
import { ByteReader } from '../../src/engines/cluster/protocol/byte-reader.ts';
import { parseProxyHeader } from '../../src/http/proxy-header.ts';
import { tokenize } from '../../src/sql/syntax/tokenizer.ts';
import { type AnyFuzzer, anyFuzzer } from './fuzz/fuzzer.ts';
import { httpFuzzer, serviceReader } from './fuzz/http-bytes.ts';
import { jsonFuzzer, serviceJson } from './fuzz/json-bodies.ts';
import { parametersFuzzer, servicePairs } from './fuzz/parameters.ts';
import { proxyFuzzer } from './fuzz/proxy-headers.ts';
import { servicePreparer, statementsFuzzer } from './fuzz/sql-statements.ts';
import { tokensFuzzer } from './fuzz/sql-tokens.ts';
import { serviceTypes, typedFuzzer } from './fuzz/typed-values.ts';
import { wireFuzzer } from './fuzz/wire-answers.ts';

/** Inputs after which a planted defect must have been found. */
const INPUTS = 20_000;
const SEED = 1;

const edited = (map: ReadonlyMap<string, string>, edit: (value: string) => string) =>
  new Map([...map].map(([name, value]) => [name, edit(value)]));

const withByte = (bytes: Buffer, at: number, byte: number) =>
  Buffer.concat([bytes.subarray(0, at), Buffer.from([byte]), bytes.subarray(at + 1)]);

/** Trusts every count. */
class TrustingReader extends ByteReader {
  override count(): number {
    return this.i32();
  }
}

/** Reads texts beyond the end of the answer. */
class BoundlessReader extends ByteReader {
  override utf8(): string {
    const length = Math.max(0, this.i32());
    const at = this.position;
    this.position = Math.min(at + length, this.end);
    return this.buffer.toString('utf8', at, at + length);
  }
}

const PLANTED: ReadonlyArray<readonly [title: string, fuzzer: AnyFuzzer]> = [
  [
    'a Content-Length with a plus sign is accepted',
    anyFuzzer(httpFuzzer((chunks) => serviceReader(chunks.map((each) => each.replace('Length: +5', 'Length: 5'))))),
  ],
  [
    'a Transfer-Encoding behind a control character counts as chunked',
    anyFuzzer(httpFuzzer((chunks) => serviceReader(chunks.map((each) => each.replace('\x0bchunked', 'chunked'))))),
  ],
  [
    'bytes of a request that comes in three pieces are lost',
    anyFuzzer(httpFuzzer((chunks) => serviceReader(chunks.length < 3 ? chunks : chunks.toSpliced(1, 1)))),
  ],
  [
    'an overlong code of UTF-8 is accepted',
    anyFuzzer(parametersFuzzer((input) => servicePairs({ ...input, text: input.text.replaceAll('%c0%80', '%00') }))),
  ],
  [
    'a plus sign stays in names',
    anyFuzzer(parametersFuzzer((input) => servicePairs({ ...input, text: input.text.replaceAll('k+1', 'k%2B1') }))),
  ],
  [
    'a header of the PROXY protocol of an unknown version is accepted',
    anyFuzzer(proxyFuzzer((bytes) => parseProxyHeader(bytes[12] === 0x31 ? withByte(bytes, 12, 0x21) : bytes))),
  ],
  [
    'a header of the PROXY protocol ends before its last field',
    anyFuzzer(
      proxyFuzzer((bytes) => {
        const header = parseProxyHeader(bytes);
        return header && header.bytes > 28 ? { ...header, bytes: header.bytes - 1 } : header;
      }),
    ),
  ],
  [
    'a number of a JSON body loses its last zero',
    anyFuzzer(jsonFuzzer((body) => edited(serviceJson(body), (value) => (value === '1.50' ? '1.5' : value)))),
  ],
  [
    'a JSON body may have a comma too many',
    anyFuzzer(
      jsonFuzzer((body) => serviceJson(Buffer.from(Buffer.from(body).toString('latin1').replace(',}', '}'), 'latin1'))),
    ),
  ],
  [
    'a short accepts the numbers of an integer',
    anyFuzzer(
      typedFuzzer({ ...serviceTypes, read: (type, text) => serviceTypes.read(type === 'short' ? 'int' : type, text) }),
    ),
  ],
  [
    'infinity stands in JSON without quotes',
    anyFuzzer(
      typedFuzzer({ ...serviceTypes, json: (value) => serviceTypes.json(value).replace('"Infinity"', 'Infinity') }),
    ),
  ],
  [
    'two quotes in a text stay two',
    anyFuzzer(
      tokensFuzzer((sql) =>
        tokenize(sql).map((token) => (token.text === "it's" ? { ...token, text: "it''s" } : token)),
      ),
    ),
  ],
  [
    'a comment ends at the star that begins it',
    anyFuzzer(tokensFuzzer((sql) => tokenize(sql.replaceAll('/*/ */', '   */ ')))),
  ],
  [
    'a statement throws what is no failure of SQL',
    anyFuzzer(
      statementsFuzzer((text) => {
        if (/having exists/.test(text)) throw new TypeError('undefined is not an object');
        return servicePreparer(text);
      }),
    ),
  ],
  [
    'a comment changes how a statement is run',
    anyFuzzer(
      statementsFuzzer((text) => {
        const prepared = servicePreparer(text);
        return prepared.kind === 'change' && text.includes('/*') ? { ...prepared, byKey: !prepared.byKey } : prepared;
      }),
    ),
  ],
  [
    'a query becomes what SQLite does not read',
    anyFuzzer(
      statementsFuzzer((text) => {
        const prepared = servicePreparer(text);
        return prepared.kind === 'query' && text.includes('group by')
          ? { ...prepared, sql: `${prepared.sql})` }
          : prepared;
      }),
    ),
  ],
  ['a count of an answer is believed', wireFuzzer((buffer, start, end) => new TrustingReader(buffer, start, end))],
  ['a text leaves its answer', wireFuzzer((buffer, start, end) => new BoundlessReader(buffer, start, end))],
];

for (const [title, fuzzer] of PLANTED) {
  test(`${fuzzer.name} finds that ${title}`, async () => {
    const finding = await fuzzer.run(SEED, 0, INPUTS);
    expect(finding).toBeDefined();
    expect(finding?.smallest.length ?? 0).toBeLessThanOrEqual(finding?.input.length ?? 0);
  });
}

test('an input can be made again from the seed and its index alone', async () => {
  const fuzzer = anyFuzzer(httpFuzzer(() => ({ requests: [], rejected: false, answers: -1 })));
  const finding = await fuzzer.run(SEED, 7, 1);
  expect(finding?.index).toBe(7);
  expect(fuzzer.showInput(SEED, 7)).toBe(finding?.input ?? '');
});
