/**
 * Executes the SQL blocks of documents in order, on a separate service for each document. The block after them has the
 * rows of the last statement as CSV, or the beginning of its error as text; all other statements must succeed.
 */
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { blocksOf, withoutDetails } from '../../documentation/shell.ts';
import { type ServiceProcess, startService } from '../service-process.ts';

const root = join(import.meta.dir, '../../..');

/** Documents that have a table of what a statement does, by the number of blocks that they have at least. */
const DOCUMENTS: Readonly<Record<string, number>> = {
  'docs/sql-statements.md': 20,
  'docs/time-to-live.md': 1,
};

/** The service's response to a statement: rows as CSV, or an error. */
interface Outcome {
  readonly rows?: string;
  readonly error?: string;
}

async function execute(service: ServiceProcess, statement: string): Promise<Outcome> {
  const response = await fetch(`${service.origin}/svc?cmd=qryfldexe&pageSize=100`, {
    method: 'POST',
    headers: { Accept: 'text/csv' },
    body: new URLSearchParams({ qry: statement }),
  });
  const text = (await response.text()).replaceAll('\r\n', '\n');
  if (!response.headers.get('content-type')?.startsWith('application/json')) return { rows: text };
  const { error }: { error: string } = JSON.parse(text);
  return { error };
}

/** Returns the statements of a block, which end at the end of a line. */
function statementsOf(text: string): string[] {
  return text
    .split(/;[ ]*\n/)
    .map((each) => each.trim())
    .filter((each) => each !== '');
}

describe.each(Object.entries(DOCUMENTS))('%s', (path, count) => {
  const markdown = withoutDetails(readFileSync(join(root, path), 'utf8'));
  const lines = markdown.split('\n');
  const blocks = blocksOf(markdown);

  test('every statement does what the document says', async () => {
    await using service = await startService();
    let found = 0;
    for (const [index, { language, text, line }] of blocks.entries()) {
      if (language !== 'sql') continue;
      found += 1;
      const next = blocks[index + 1];
      const end = line + text.split('\n').length;
      const isBehind = next !== undefined && lines.slice(end, next.line - 1).every((each) => each.trim() === '');
      const expected = isBehind && ['csv', 'text'].includes(next.language) ? next : undefined;
      const statements = statementsOf(text);
      for (const [at, statement] of statements.entries()) {
        const outcome = await execute(service, statement);
        const shown = at === statements.length - 1 ? expected : undefined;
        const place = `${path}:${line}: ${statement}`;
        if (shown?.language === 'text') {
          expect([place, outcome.error?.slice(0, shown.text.trim().length)]).toEqual([place, shown.text.trim()]);
        } else {
          expect([place, outcome.error]).toEqual([place, undefined]);
          if (shown !== undefined) expect([place, outcome.rows]).toEqual([place, shown.text]);
        }
      }
    }
    expect(found).toBeGreaterThanOrEqual(count);
  }, 180_000);
});
