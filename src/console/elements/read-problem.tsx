/** Says why something is not shown. */
import type { Loaded } from '../requests/polling.ts';
import { missingRight } from '../requests/request.ts';
import { Failure } from './elements.tsx';

/** Lacking a right to read is not a failure: a line names the missing right. */
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
