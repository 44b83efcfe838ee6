/** Copies rows as text, to paste them elsewhere. */
import { useSignal } from '@preact/signals';
import { useAttempt } from '../elements/attempt.ts';
import { copyText } from '../elements/copied.tsx';
import { Button, Failure, Status } from '../elements/elements.tsx';
import { formatCount } from '../elements/formats.ts';
import type { Json } from '../requests/request.ts';
import type { PagedRows } from '../rows/paged-rows.ts';
import { COPY_FORMATS, type CopyFormat } from '../rows/row-texts.ts';

/** More rows are exported to a file. */
const MAX_COPIED = 10_000;
const FORMATS = Object.keys(COPY_FORMATS) as readonly CopyFormat[];

export function CopyRows({ result }: { readonly result: PagedRows }) {
  const status = useSignal('');
  const { error, attempt } = useAttempt();
  const copy = async (format: CopyFormat): Promise<void> => {
    const count = Math.min(MAX_COPIED, result.rowCount.peek());
    const rows: Array<readonly Json[]> = [];
    for (let at = 0; at < count; at++) {
      const row = result.row(at);
      if (row !== undefined) rows.push(row);
    }
    status.value = '';
    await attempt(async () => {
      if (rows.length < count)
        throw new Error('The first rows are no longer kept. Scroll to them, or export all rows.');
      await copyText(COPY_FORMATS[format](result.columns.peek(), rows));
      const isAll = result.isComplete.peek() && count === result.rowCount.peek();
      const copied = `${formatCount(count, 'row')} copied as ${format}.`;
      status.value = isAll ? copied : `The first ${copied}`;
    });
  };
  return (
    <div class="actions">
      {FORMATS.map((format) => (
        <Button key={format} onClick={() => copy(format)}>
          Copy {format}
        </Button>
      ))}
      <Status text={status.value} />
      <Failure text={error.value} />
    </div>
  );
}
