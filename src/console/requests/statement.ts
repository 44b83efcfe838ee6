/** Statements that the page itself executes. */
import { call, type Json } from './request.ts';

/** Reads the rows of a statement, up to a maximum. Throws SvcError. */
export async function readRows(
  qry: string,
  most: number,
  signal?: AbortSignal,
  args: readonly Json[] = [],
): Promise<ReadonlyArray<readonly Json[]>> {
  const request = { qry, pageSize: most, maxRows: most, ...(args.length > 0 && { args }) };
  const answer = await call('qryfldexe', request, signal);
  return (answer as unknown as { readonly items: ReadonlyArray<readonly Json[]> }).items;
}

/** Executes a statement that returns no rows. Throws SvcError. */
export async function execute(qry: string): Promise<void> {
  await call('qryfldexe', { qry, pageSize: 1 });
}
