/** The end of a cache or table, after its name was typed. */

import { useSignal } from '@preact/signals';
import { goTo } from '../elements/address.ts';
import { Button } from '../elements/elements.tsx';
import { Confirmation } from '../elements/form-dialog.tsx';
import { formatNumber } from '../elements/formats.ts';
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
  const action = useSignal<'clear' | 'destroy' | undefined>(undefined);
  const confirm = async (): Promise<void> => {
    if (action.value === 'clear') await call('clear', { cacheName: [cache.name] });
    else if (cache.table === undefined) await call('destcache', { cacheName: cache.name });
    else await execute(`DROP TABLE ${tableNameOf(cache.table)}`);
    // The list is read before it is shown, so that nothing is asked of a cache that is gone.
    await onChanged();
    if (action.value === 'destroy') goTo('caches');
  };
  const title = titleOf(cache);
  const [things, kind, end] = cache.table === undefined ? ['entries', 'cache', 'Destroy'] : ['rows', 'table', 'Drop'];
  const count = cache.size === null ? 'All' : `All ${formatNumber(cache.size)}`;
  return (
    <section aria-labelledby="end">
      <h2 id="end">Remove</h2>
      <p class="actions">
        <Button class="danger" onClick={() => (action.value = 'clear')}>
          Remove all {things} …
        </Button>
        <Button class="danger" onClick={() => (action.value = 'destroy')}>
          {end} the {kind} …
        </Button>
      </p>
      {action.value !== undefined && (
        <Confirmation
          title={action.value === 'clear' ? `Remove all ${things} of ${title}` : `${end} ${title}`}
          text={
            action.value === 'clear'
              ? `${count} ${things} are removed. This cannot be undone.`
              : `${count} ${things}, and the definition of the ${kind}, are removed. This cannot be undone.`
          }
          name={cache.table === undefined ? cache.name : title}
          action={action.value === 'clear' ? `Remove all ${things}` : end}
          onConfirm={confirm}
          onClose={() => (action.value = undefined)}
        />
      )}
    </section>
  );
}
