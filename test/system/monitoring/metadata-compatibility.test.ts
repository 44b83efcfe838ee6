/** The metadata of tables in both compatibility modes: docs/differences.md, row 56. */
import { expect, test } from 'bun:test';
import { startService } from '../service-process.ts';

const EXPECTED = {
  contract: {
    indexes: [['_key_PK', 'ID']],
    constraints: [['PRIMARY KEY']],
    columns: [
      ['ID', 'NO', null],
      ['NOTE', 'YES', 'none'],
    ],
  },
  reference: {
    indexes: [
      ['_key_PK', '_KEY'],
      ['_key_PK_hash', '_KEY'],
      ['_key_PK_proxy', 'ID'],
    ],
    constraints: [],
    columns: [
      ['ID', 'YES', null],
      ['NOTE', 'YES', null],
    ],
  },
} as const;

test.each(['contract', 'reference'] as const)('mode %s', async (mode) => {
  await using service = await startService({ env: { SVC_COMPATIBILITY: mode } });
  await service.command('cmd=getorcreate&cacheName=a');
  const rows = async (sql: string): Promise<unknown> => {
    const query = `cmd=qryfldexe&cacheName=a&pageSize=100&qry=${encodeURIComponent(sql)}`;
    const { items } = (await service.command(query)) as { readonly items: unknown };
    return items;
  };
  await rows("CREATE TABLE t (id INT PRIMARY KEY, note VARCHAR DEFAULT 'none')");
  const { indexes, constraints, columns } = EXPECTED[mode];
  const where = "WHERE table_name = 'T'";
  expect(await rows(`SELECT index_name, column_name FROM information_schema.indexes ${where} ORDER BY 1`)).toEqual(
    indexes,
  );
  expect(await rows(`SELECT constraint_type FROM information_schema.table_constraints ${where}`)).toEqual(constraints);
  const shown = `SELECT column_name, is_nullable, column_default FROM information_schema.columns ${where}`;
  expect(await rows(`${shown} AND column_name IN ('ID', 'NOTE') ORDER BY 1`)).toEqual(columns);
});
