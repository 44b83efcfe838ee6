/** Says why something is not shown. */
import type { Loaded } from '../requests/polling.ts';
import { missingRight } from '../requests/request.ts';
import { Failure } from './elements.tsx';

/** What the user may not read is no failure: a line names the right that is missing. */
export function ReadProblem(props: {
  readonly of: Pick<Loaded<unknown>, 'error' | 'isDenied'>;
  readonly what: string;
}) {
  const { error, isDenied } = props.of;
  if (!isDenied.value) return <Failure text={error.value} />;
  return (
    <p class="hint">
      You need {missingRight(error.value)} to see {props.what}.
    </p>
  );
}
