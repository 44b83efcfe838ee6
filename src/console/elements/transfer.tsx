/** Files that are sent or received, one at a time, with their progress. */
import { type Signal, useSignal } from '@preact/signals';
import { messageOf } from '../requests/request.ts';
import { Button, Failure, Status } from './elements.tsx';

export interface Transfer {
  /** How much is done, up to 1; undefined if not known. */
  readonly share: Signal<number | undefined>;
  readonly status: Signal<string>;
  readonly error: Signal<string>;
  /** Cancels the running one. */
  readonly running: Signal<AbortController | undefined>;
  /** Does the work. Its result is the final status. Resolves with whether it was completed. */
  run(noun: string, work: (abort: AbortSignal) => Promise<string>): Promise<boolean>;
}

export function useTransfer(): Transfer {
  const share = useSignal<number | undefined>(undefined);
  const status = useSignal('');
  const error = useSignal('');
  const running = useSignal<AbortController | undefined>(undefined);
  const run: Transfer['run'] = async (noun, work) => {
    const controller = new AbortController();
    running.value = controller;
    error.value = '';
    try {
      status.value = await work(controller.signal);
      return true;
    } catch (problem) {
      status.value = '';
      error.value = controller.signal.aborted ? `The ${noun} was cancelled.` : messageOf(problem);
      return false;
    } finally {
      running.value = undefined;
      share.value = undefined;
    }
  };
  return { share, status, error, running, run };
}

/** The cancel button, the progress, and the result. */
export function TransferProgress({ noun, transfer }: { readonly noun: string; readonly transfer: Transfer }) {
  const { share, status, error, running } = transfer;
  return (
    <>
      {running.value !== undefined && (
        <>
          <Button onClick={() => running.value?.abort()}>Cancel {noun}</Button>
          <progress aria-label={`Progress of the ${noun}`} {...(share.value !== undefined && { value: share.value })} />
        </>
      )}
      <Status text={status.value} />
      <Failure text={error.value} />
    </>
  );
}
