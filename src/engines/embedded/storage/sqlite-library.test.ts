import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { checkLibrary, libraryOf, type SqliteLibrary } from './sqlite-library.ts';

function library(version: string, without?: RegExp): SqliteLibrary {
  return {
    version,
    run(sql) {
      if (without?.test(sql)) throw new Error('no such function');
    },
  };
}

test('accepts the library of the runtime', () => {
  using database = new Database(':memory:');
  const own = libraryOf(database);
  expect(own.version).toMatch(/^3\.\d+\.\d+$/);
  expect(() => checkLibrary(own)).not.toThrow();
  expect(() => own.run('SELECT no_such_function()')).toThrow('no such function');
});

test.each([
  ['3.43.0', true],
  ['3.43', true],
  ['3.43.2.1', true],
  ['3.100.0', true],
  ['4.0.0', true],
  ['3.42.9', false],
  ['3.9.0', false],
  ['2.99.0', false],
  ['', false],
  ['unknown', false],
])('version "%s" is new enough: %p', (version, isAccepted) => {
  if (isAccepted) expect(() => checkLibrary(library(version))).not.toThrow();
  else expect(() => checkLibrary(library(version))).toThrow('3.43.0 is needed');
});

test('names what a library lacks, and says what to do', () => {
  expect(() => checkLibrary(library('3.51.0', /json_each|OVER/))).toThrow(
    'SQLite 3.51.0 cannot be used: it lacks JSON functions, window functions. On macOS it comes from the system: update to macOS 14 or later',
  );
});
