import { expect, test } from 'bun:test';
import { positionOf } from './source-position.ts';

const SOURCE = `import { defineConfig } from 'svc';
// export default { name: 1 }
export default defineConfig({
  name: 'a,{', /* name: */
  http: { port: 80, 'tls': { cert: "x" } },
  caches: [{ name: 'a' }, {
    name: 'b', entities: [{ fields: { id: 'int' } }] }],
  ...other,
});
`;

const CASES: ReadonlyArray<readonly [string, string | undefined]> = [
  ['name', '4:3'],
  ['http.port', '5:11'],
  ['http.tls.cert', '5:30'],
  ['caches[1]', '6:27'],
  ['caches[1].name', '7:5'],
  ['caches[1].entities[0].fields.id', '7:39'],
  ['caches[5].name', '6:3'],
  ['users', undefined],
];
for (const [path, expected] of CASES) {
  test(path, () => {
    const position = positionOf(SOURCE, path);
    expect(position === undefined ? undefined : `${position.line}:${position.column}`).toBe(expected);
  });
}

test('a file that exports a variable has no positions', () => {
  expect(positionOf('const c = { name: 1 };\nexport default c;', 'name')).toBeUndefined();
});
