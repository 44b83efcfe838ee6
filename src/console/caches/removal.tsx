/** The end of a cache or table, after its name was typed. */
import { useSignal } from '@preact/signals';
import { goTo } from '../elements/address.ts';
import { Confirmation } from '../elements/elements.tsx';
import { formatNumber } from '../elements/formats.ts';
import { titleOf } from '../requests/catalog.ts';
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
  const title = titleOf(cache);
  const [things, kind, end] = cache.table === undefined ? ['entries', 'cache', 'Destroy'] : ['rows', 'table', 'Drop'];
  const count = cache.size === null ? 'All' : `All ${formatNumber(cache.size)}`;
  return (
    <section aria-labelledby="end">
      <h2 id="end">Remove</h2>
      <p class="actions">
        <button type="button" class="danger" onClick={() => open('clear')}>
          Remove all {things} …
        </button>
        <button type="button" class="danger" onClick={() => open('destroy')}>
          {end} the {kind} …
        </button>
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
