import { expect, test } from 'bun:test';
import { withTargets } from '../../scripts/document-links.ts';
import { withTabs } from '../../scripts/site-tabs.ts';

const BLOCKS = '```sh\ncurl a\n```\n\n<details>\n<summary>Go</summary>\n\n```go\nsvc()\n\nsvc()\n```\n\n</details>';

test('a block with the same in other languages becomes tabs', () => {
  expect(withTabs(`# A\n\n${BLOCKS}\n\nB\n\n${BLOCKS}\n`)).toBe(`# A\n\n${tabs()}\n\nB\n\n${tabs()}\n`);
});

function tabs(): string {
  return '=== "curl"\n\n    ```sh\n    curl a\n    ```\n\n=== "Go"\n\n    ```go\n    svc()\n\n    svc()\n    ```';
}

test('other blocks and elements stay as they are', () => {
  const page = '```sh\ncurl a\n```\n\ntext\n\n<details>\n<summary>More</summary>\n\n```go\nsvc()\n```\n\n</details>\n';
  expect(withTabs(page)).toBe(page);
  const plain = '```sh\ncurl a\n```\n\n```json\n1\n```\n';
  expect(withTabs(plain)).toBe(plain);
});

test('links lead to other targets, except those in code', () => {
  const page = '[a](A.md#b), ![c](<c.svg> "C")\n\n```sh\n[a](A.md)\n```\n';
  expect(withTargets(page, (target) => `../${target}`)).toBe(
    '[a](../A.md#b), ![c](<../c.svg> "C")\n\n```sh\n[a](A.md)\n```\n',
  );
});
