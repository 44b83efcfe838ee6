/** The saved queries that the user may read. The service stores them; their texts are read when they are opened. */
import { batch, signal } from '@preact/signals';
import type { SavedqueryaddResult, SavedquerylistResult } from '../../client/commands.ts';
import { mayCommand } from '../requests/access.ts';
import { healed, isOutage } from '../requests/connection.ts';
import { call, isForbidden, isReady, messageOf, missingRight } from '../requests/request.ts';
import { markRepeated } from '../requests/sent-requests.ts';
import { needsLogin, signedIn } from '../requests/session.ts';

export type SavedQuery = SavedqueryaddResult;
export type SavedParameter = SavedQuery['parameters'][number];
/** The part of a query known without opening it. */
export type SavedDescription = SavedquerylistResult;

/** By name; empty until they were read. */
export const savedQueries = signal<readonly SavedDescription[]>([]);
/** Why they could not be read; empty if they were. */
export const savedFailure = signal('');

const mayUse = (command: string): boolean => mayCommand(command, 'savedquery');
export const mayList = (): boolean => mayUse('savedquerylist');
export const mayAdd = (): boolean => mayUse('savedqueryadd');
export const mayUpdate = (): boolean => mayUse('savedqueryupdate');
export const mayRemove = (): boolean => mayUse('savedqueryrmv');

/** Returns whether a query is the user's own; without authentication, all are. */
export function isMine({ user }: Pick<SavedDescription, 'user'>): boolean {
  return !needsLogin || user === signedIn.value?.user;
}

/** Reads the list again. */
export async function readSavedQueries(): Promise<void> {
  if (!isReady() || !mayList()) return;
  const { signal: abort } = new AbortController();
  // The page sends this, not the user, so it is not listed among the requests of the last clicks.
  markRepeated(abort);
  try {
    const listed = await call('savedquerylist', {}, abort);
    batch(() => {
      savedQueries.value = listed;
      savedFailure.value = '';
    });
  } catch (problem) {
    if (isOutage(problem)) return;
    batch(() => {
      savedQueries.value = [];
      savedFailure.value = isForbidden(problem)
        ? `You need ${missingRight(messageOf(problem))} to list them.`
        : `They cannot be listed: ${messageOf(problem)}`;
    });
  }
}

/** Reads the list now, and when the service is back or the page is shown, until the returned function is called. */
export function followSavedQueries(): () => void {
  const onShown = (): void => {
    if (document.visibilityState === 'visible') void readSavedQueries();
  };
  document.addEventListener('visibilitychange', onShown);
  const ignore = healed.subscribe(() => void readSavedQueries());
  return () => {
    document.removeEventListener('visibilitychange', onShown);
    ignore();
  };
}

/** The saved part of a query. */
export interface SavedOptions {
  readonly name: string;
  readonly qry: string;
  readonly cacheName: string;
  readonly parameters: readonly SavedParameter[];
  readonly shared: boolean;
}

/** Saves a new query. Throws SvcError. */
export async function addSavedQuery({ parameters, ...parts }: SavedOptions): Promise<SavedQuery> {
  const added = await call('savedqueryadd', { ...parts, parameters: JSON.stringify(parameters) });
  void readSavedQueries();
  return added;
}

/** Changes parts of a query, if it still has the revision. Throws SvcError. */
export async function updateSavedQuery(
  { id, revision }: Pick<SavedQuery, 'id' | 'revision'>,
  { parameters, ...parts }: Partial<SavedOptions>,
): Promise<SavedQuery> {
  const described = parameters === undefined ? {} : { parameters: JSON.stringify(parameters) };
  const updated = await call('savedqueryupdate', { id, revision, ...parts, ...described });
  void readSavedQueries();
  return updated;
}

/** Removes a query. Throws SvcError. */
export async function removeSavedQuery(id: string): Promise<void> {
  await call('savedqueryrmv', { id });
  void readSavedQueries();
}

/** Returns a query with its text. Throws SvcError. */
export function readSavedQuery(id: string): Promise<SavedQuery> {
  return call('savedqueryget', { id });
}
