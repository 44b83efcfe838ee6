import { expect, test } from 'bun:test';
import { Decimal } from '../client/exact-json.ts';
import { GO } from './go.ts';
import { JAVA } from './java.ts';
import { type Language, needsOf, type ProgramRequest } from './program.ts';
import { PYTHON } from './python.ts';
import { TYPESCRIPT } from './typescript.ts';

/** Returns the statements of a request without parameters, and of one that uses members of its response. */
function callsOf(language: Language, params: Readonly<Record<string, unknown>>): string {
  const requests = [
    { cmd: 'a', params: {} },
    { cmd: 'b', params },
  ];
  return language.calls(requests, needsOf('http://localhost:8080/svc', requests, false));
}

test('Java formats a text with percent signs and several members', () => {
  const text = '{"cmd": "b", "rate": "5 %%", "id": "%s", "key": "%s"}';
  const members = 'member(first, "id"), member(first, "key")';
  expect(callsOf(JAVA, { rate: '5 %', id: '{id}', key: '{key}' })).toContain(`${text}""".formatted(${members})`);
});

test('Go passes members of a response with their types', () => {
  const requests = [
    { cmd: 'qryscanexe', params: { pageSize: 0 } },
    { cmd: 'qrykill', params: { qryId: '{queryId}' } },
  ];
  expect(GO.calls(requests, needsOf('http://localhost:8080/svc', requests, false))).toBe(
    'first := must(client.Qryscanexe(ctx, svc.QryscanexeParameters{PageSize: svc.Ptr(int64(0))}))\n' +
      'fmt.Println(must(client.Qrykill(ctx, svc.QrykillParameters{QryID: fmt.Sprint(first.QueryID)})))',
  );
});

const goCalls: ReadonlyArray<readonly [title: string, request: ProgramRequest, text: string]> = [
  [
    'what no method has a place for',
    { cmd: 'get', params: { key: 1n, asArray: true } },
    'must(client.Call(ctx, "get", map[string]any{"key": 1, "asArray": true}))',
  ],
  [
    'texts with quotes, and those that cannot be raw',
    { cmd: 'putall', params: { keys: ['"a"', '`"'], values: ['a\n"', 'b'] } },
    'must(client.Putall(ctx, svc.PutallParameters{Keys: []any{`"a"`, "`\\""}, Values: []any{"a\\n\\"", "b"}}))',
  ],
  [
    'the parameters of another command',
    { cmd: 'dryrun', params: { of: 'rmv', key: 'a' } },
    'must(client.Dryrun(ctx, svc.DryrunParameters{Of: "rmv", Others: map[string]any{"key": "a"}}))',
  ],
  [
    'exact numbers',
    { cmd: 'put', params: { key: new Decimal('1.50'), val: 2n ** 63n } },
    'must(client.Put(ctx, svc.PutParameters{Key: svc.Decimal("1.50"), Val: svc.Decimal("9223372036854775808")}))',
  ],
  [
    'a command without a result',
    { cmd: 'noop', params: {} },
    'if err := client.Noop(ctx, svc.NoopParameters{}); err != nil {\n\tlog.Fatal(err)\n}',
  ],
  [
    'a file',
    { cmd: 'import', params: { table: 'town' }, body: { type: 'text/csv', rows: { file: 'a.csv' } } },
    'must(client.Import(ctx, must(os.Open("a.csv")), svc.ImportParameters{Format: "csv", Table: "town"}))',
  ],
];
test.each(goCalls)('Go writes %s', (_, request, text) => {
  const requests = [request, { cmd: 'version', params: {} }];
  const written = GO.calls(requests, needsOf('http://localhost:8080/svc', requests, false));
  expect(written).toBe(`${text}\nfmt.Println(must(client.Version(ctx, svc.VersionParameters{})))`);
});

const WATCHED = { cmd: 'watch', params: { cacheName: 'a,b', operation: 'created', oldValue: true, follow: false } };
test.each([
  [TYPESCRIPT, "client.watch({ caches: ['a', 'b'], operations: ['created'], follow: false, withOldValues: true })"],
  [PYTHON, 'client.watch(caches=["a", "b"], operations=["created"], follow=False, with_old_values=True)'],
  [GO, '\tOperations:    []string{"created"},\n\tWithOldValues: true,\n\tUntilNow:      true,\n'],
])('watch has the options of the client', (language, text) => {
  expect(language.calls([WATCHED], needsOf('', [WATCHED], false))).toContain(text);
});
