/** The tab Samples: the usual requests for a cache or table, as programs send them. */
import { useSignal } from '@preact/signals';
import { useSamples } from '../commands/use-samples.ts';
import { Failure, SelectField } from '../elements/elements.tsx';
import type { CacheDescription } from './cache-list.ts';
import { samplesFor } from './sample-choice.ts';

export function SampleRequests({ cache }: { readonly cache: CacheDescription }) {
  const chosen = useSignal(0);
  const samples = samplesFor(cache);
  const { Shown, failure } = useSamples();
  const sample = samples[chosen.value] ?? samples[0];
  return (
    <>
      <h2 class="hidden">Samples</h2>
      <div class="form-row">
        <SelectField
          label="What a program does"
          value={String(chosen.value)}
          options={samples.map(({ title }, at) => [String(at), title])}
          onValue={(at) => (chosen.value = Number(at))}
        />
      </div>
      <Failure text={failure} />
      {Shown !== undefined && sample !== undefined && <Shown request={sample.request} />}
    </>
  );
}
