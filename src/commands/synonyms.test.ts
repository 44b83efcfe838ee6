import { expect, test } from 'bun:test';
import { nearestCommands } from './nearest.ts';
import { findCommand } from './registry.ts';
import { SYNONYMS } from './synonyms.ts';

test('every synonym stands for a command and is none', () => {
  for (const [word, command] of SYNONYMS) {
    expect([word, findCommand(command)?.name]).toEqual([word, command]);
    expect([word, findCommand(word)]).toEqual([word, undefined]);
  }
});

const CASES: ReadonlyArray<readonly [string, readonly string[]]> = [
  ['keys', ['qryscanexe']],
  ['DELETE', ['rmv']],
  ['set', ['put']],
  ['sql', ['qryfldexe']],
  ['addrole', ['roleadd']],
  ['passwd', ['updateuser']],
  ['gett', ['get']],
  ['frobnicate', []],
];
for (const [word, commands] of CASES) {
  test(`${word} is answered with ${commands.join(', ') || 'nothing'}`, () =>
    expect(nearestCommands(word)).toEqual([...commands]));
}
