import { expect, test } from 'bun:test';
import { instructionsFor } from './instructions.ts';
import { PROMPTS } from './prompts.ts';
import { sqlTools } from './sql-tools.ts';
import { offeredCommands, type Tool, toolOf } from './tools.ts';

const WORDS = { product: 'svc mcp', writes: '--allow-writes', tools: '--tools' };

const URL = 'http://localhost:8080/svc';
const toolsOf = (allowsWrites: boolean): readonly Tool[] => [
  ...sqlTools('svc', allowsWrites, WORDS).map(({ tool }) => tool),
  ...offeredCommands(allowsWrites).map((command) => toolOf(command, 'svc', allowsWrites)),
];
/** Members of responses, errors and hints that instructions may name in addition to tools and their arguments. */
const MEMBERS = ['queryId', 'last', 'code', 'readOnlyHint'];
const named = (text: string) => [...text.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);

const SELECTIONS: ReadonlyArray<readonly string[] | undefined> = [
  undefined,
  ['get', 'size'],
  ['query'],
  ['query', 'qryfetch'],
  ['tables', 'describe'],
  ['version'],
];
for (const allowsWrites of [false, true]) {
  for (const selection of SELECTIONS) {
    test(`instructions name only what is offered: ${selection ?? 'all'}, writes: ${allowsWrites}`, () => {
      const tools = toolsOf(allowsWrites).filter(({ name }) => selection?.includes(name) ?? true);
      const known = new Set([
        ...tools.flatMap(({ name, inputSchema }) => [name, ...Object.keys(inputSchema.properties ?? {})]),
        ...MEMBERS,
      ]);
      const text = instructionsFor(tools, URL, allowsWrites);
      expect(text).toContain(URL);
      expect(named(text).filter((name) => !known.has(name))).toEqual([]);
      expect(text.includes('only statements that read')).toBe(!allowsWrites);
      for (const name of ['tables', 'describe', 'query']) {
        expect(named(text).includes(name)).toBe(tools.some((tool) => tool.name === name));
      }
    });
  }
}

test('prompts need the tools that they name', () => {
  const all = toolsOf(false).map(({ name }) => name);
  expect(PROMPTS.map(({ prompt }) => prompt.name)).toEqual(['explore-table', 'explain-statement', 'import-csv']);
  for (const { prompt, tools } of PROMPTS) {
    expect([prompt.name, tools.filter((name) => !all.includes(name))]).toEqual([prompt.name, []]);
  }
});
