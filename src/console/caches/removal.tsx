/** The end of a cache or table, after its name was typed. */
import { useSignal } from '@preact/signals';
import { goTo } from '../elements/address.ts';
import { Confirmation } from '../elements/elements.tsx';
import { formatNumber } from '../elements/formats.ts';
import { call, messageOf } from '../requests/request.ts';
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
  const typed = useSignal('');
  const error = useSignal('');
  const open = (chosen: 'clear' | 'destroy'): void => {
    typed.value = '';
    error.value = '';
    action.value = chosen;
  };
  const confirm = async (): Promise<void> => {
    try {
      if (action.value === 'clear') await call('clear', { cacheName: [cache.name] });
      else if (cache.table === undefined) await call('destcache', { cacheName: cache.name });
      else await call('qryfldexe', { qry: `DROP TABLE ${tableNameOf(cache.table)}`, pageSize: 1 });
      // The list is read before it is shown, so that nothing is asked of a cache that is gone.
      await onChanged();
      if (action.value === 'destroy') goTo('caches');
      action.value = undefined;
    } catch (problem) {
      error.value = messageOf(problem);
    }
  };
  const count = cache.size === null ? 'All' : `All ${formatNumber(cache.size)}`;
  return (
    <section aria-labelledby="end">
      <h2 id="end">Remove</h2>
      <p class="actions">
        <button type="button" class="danger" onClick={() => open('clear')}>
          Remove all entries …
        </button>
        <button type="button" class="danger" onClick={() => open('destroy')}>
          {cache.table === undefined ? 'Destroy the cache …' : 'Drop the table …'}
        </button>
      </p>
      {action.value !== undefined && (
        <Confirmation
          title={action.value === 'clear' ? `Remove all entries of ${cache.name}` : `Destroy ${cache.name}`}
          text={
            action.value === 'clear'
              ? `${count} entries are removed. This cannot be undone.`
              : `${count} entries, and the definition of the cache, are removed. This cannot be undone.`
          }
          name={cache.name}
          action={action.value === 'clear' ? 'Remove all entries' : 'Destroy'}
          typed={typed.value}
          onTyped={(text) => (typed.value = text)}
          error={error.value}
          onConfirm={confirm}
          onClose={() => (action.value = undefined)}
        />
      )}
    </section>
  );
}
