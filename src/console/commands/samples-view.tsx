/** Shows a request as programs send it, in the language that was chosen last. */
import { signal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { Copied } from '../elements/copied.tsx';
import { bound, Choices } from '../elements/elements.tsx';
import { endpointUrl } from '../requests/request.ts';
import type { SentRequest } from '../requests/sent-requests.ts';
import { needsLogin } from '../requests/session.ts';
import { samplesOf } from './samples.ts';

const language = signal('curl');

interface SamplesProps {
  readonly request: SentRequest;
  readonly title?: string;
}

export function Samples({ request, title = 'The same as a program' }: SamplesProps) {
  const id = useId();
  const samples = samplesOf(endpointUrl(), request, needsLogin);
  const shown = samples.find((each) => each.language === language.value)?.text ?? '';
  return (
    <section aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      <Choices
        label="Language"
        options={samples.map((each) => [each.language, each.language] as const)}
        {...bound(language)}
      />
      <Copied key={shown} text={shown} />
    </section>
  );
}
