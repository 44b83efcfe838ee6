/** The requests sent by the last clicks, each also as programs send it. */
import { useSignal } from '@preact/signals';
import { SelectField } from '../elements/elements.tsx';
import { writeJson } from '../elements/formats.ts';
import { sentRequests } from '../requests/sent-requests.ts';
import { Samples } from './samples-view.tsx';

/** Maximum number of characters of the parameters shown in the list. */
const SHOWN_CHARACTERS = 100;

export function Sent() {
  /** Undefined means the latest one. */
  const chosen = useSignal<number | undefined>(undefined);
  const requests = sentRequests.value;
  const request = requests.find(({ number }) => number === chosen.value) ?? requests[0];
  if (request === undefined) return <p class="hint">This page has sent no requests yet.</p>;
  return (
    <>
      <p class="hint">Requests that the page repeats by itself are not listed, and passwords are left out.</p>
      <SelectField
        label="Request"
        value={`${request.number}`}
        options={requests.map(({ number, cmd, params }) => [
          `${number}`,
          `${cmd} ${writeJson(params, 0).slice(0, SHOWN_CHARACTERS)}`,
        ])}
        onValue={(number) => (chosen.value = Number(number))}
      />
      <Samples request={request} />
    </>
  );
}
