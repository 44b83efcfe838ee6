/** Destroys a cache or table, after its name was typed. */

import { goTo } from '../elements/address.ts';
import { Button } from '../elements/elements.tsx';
import { Confirmation } from '../elements/form-dialog.tsx';
import { formatNumber } from '../elements/formats.ts';
import { openDialog } from '../elements/opened-dialog.tsx';
import { DEFINE, mayEverywhere, mayOnCache } from '../requests/access.ts';
import { titleOf } from '../requests/catalog.ts';
import { call } from '../requests/request.ts';
import { execute } from '../requests/statement.ts';
import type { CacheDescription } from './cache-list.ts';
import { tableNameOf } from './row-query.ts';

export function Removal({
  cache,
  onChanged,
}: {
  readonly cache: CacheDescription;
  readonly onChanged: () => Promise<void>;
}) {
  const confirm = async (isClear: boolean): Promise<void> => {
    if (isClear) await call('clear', { cacheName: [cache.name] });
    else if (cache.table === undefined) await call('destcache', { cacheName: cache.name });
    else await execute(`DROP TABLE ${tableNameOf(cache.table)}`);
    // The list is read before it is shown, so a destroyed cache is not queried.
    await onChanged();
    if (!isClear) goTo('caches');
  };
  const mayClear = mayOnCache(cache.name, ['remove']);
  const mayEnd = cache.table === undefined ? mayOnCache(cache.name, ['destroy']) : mayEverywhere(DEFINE);
  if (!mayClear && !mayEnd) return null;
  const title = titleOf(cache);
  const [things, kind, end] = cache.table === undefined ? ['entries', 'cache', 'Destroy'] : ['rows', 'table', 'Drop'];
  const count = cache.size === null ? 'All' : `All ${formatNumber(cache.size)}`;
  const ask = (isClear: boolean): void =>
    openDialog(
      <Confirmation
        title={isClear ? `Remove all ${things} of ${title}` : `${end} ${title}`}
        text={
          isClear
            ? `${count} ${things} are removed. This cannot be undone.`
            : `${count} ${things}, and the definition of the ${kind}, are removed. This cannot be undone.`
        }
        name={cache.table === undefined ? cache.name : title}
        action={isClear ? `Remove all ${things}` : end}
        onConfirm={() => confirm(isClear)}
      />,
    );
  return (
    <section aria-labelledby="end">
      <h2 id="end">Remove</h2>
      <p class="actions">
        {mayClear && (
          <Button class="danger" onClick={() => ask(true)}>
            Remove all {things} …
          </Button>
        )}
        {mayEnd && (
          <Button class="danger" onClick={() => ask(false)}>
            {end} the {kind} …
          </Button>
        )}
      </p>
    </section>
  );
}
