/** The saved query in the address: a link shows it, and the address follows the query shown. */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { address, keepState } from '../elements/address.ts';
import { healed, isOutage } from '../requests/connection.ts';
import { messageOf, SvcError } from '../requests/request.ts';
import { readSavedQuery } from './saved-queries.ts';
import { activeTab, openSaved } from './stored.ts';

/** The id of the query that is being read. */
const opening = signal<string | undefined>(undefined);
/** Why a link shows nothing; empty if it does. */
export const linkFailure = signal('');

async function open(id: string): Promise<void> {
  opening.value = id;
  linkFailure.value = '';
  try {
    const query = await readSavedQuery(id);
    // A different one may have been requested meanwhile.
    if (opening.peek() === id) openSaved(query);
  } catch (problem) {
    if (opening.peek() === id && !isOutage(problem)) linkFailure.value = reasonOf(problem);
  } finally {
    if (opening.peek() === id) opening.value = undefined;
  }
}

function reasonOf(problem: unknown): string {
  const isAbsent = problem instanceof SvcError && problem.code === 'SAVED_QUERY_NOT_FOUND';
  return isAbsent
    ? 'You cannot open the saved query of this link: it was deleted, or its owner does not share it.'
    : messageOf(problem);
}

/** Opens the query in the address, and keeps the address in step with the current tab. */
export function useSavedLink(): void {
  const given = address.value.params.get('id') ?? undefined;
  const { id: tabId, saved } = activeTab.value;
  const isOpening = opening.value !== undefined;
  useEffect(() => {
    linkFailure.value = '';
  }, [tabId]);
  useEffect(() => {
    if (given !== undefined) void open(given);
  }, [given, healed.value]);
  useEffect(() => {
    const isLost = opening.peek() !== undefined || linkFailure.peek() !== '';
    if (isLost || saved?.id === (address.peek().params.get('id') ?? undefined)) return;
    keepState({ id: saved?.id, ...(saved !== undefined && { sql: undefined }) });
  }, [tabId, saved?.id, isOpening]);
}
