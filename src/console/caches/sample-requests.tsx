/** The tab Samples: the usual requests for a cache or table as programs send them. */
import { signal, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { Failure, SelectField } from '../elements/elements.tsx';
import { messageOf } from '../requests/request.ts';
import type { SentRequest } from '../requests/sent-requests.ts';
import type { CacheDescription } from './cache-list.ts';
import { samplesFor } from './sample-choice.ts';

type View = (props: { readonly request: SentRequest }) => JSX.Element;

/** What writes programs is loaded when they are asked for. */
const view = signal<View | undefined>(undefined);

export function SampleRequests({ cache }: { readonly cache: CacheDescription }) {
  const chosen = useSignal(0);
  const error = useSignal('');
  const samples = samplesFor(cache);
  useEffect(() => {
    const load = async (): Promise<void> => {
      try {
        view.value ??= (await import('../commands/samples-view.tsx')).Samples;
      } catch (problem) {
        error.value = `The samples cannot be loaded: ${messageOf(problem)}`;
      }
    };
    void load();
  }, []);
  const sample = samples[chosen.value] ?? samples[0];
  const { value: Shown } = view;
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
      <Failure text={error.value} />
      {Shown !== undefined && sample !== undefined && <Shown request={sample.request} />}
    </>
  );
}
