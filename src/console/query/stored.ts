/** Executed and saved statements, kept by the browser. */
import { signal } from '@preact/signals';

export interface SavedQuery {
  readonly name: string;
  readonly sql: string;
}

const HISTORY = 'svc.history';
const SAVED = 'svc.saved';
const DRAFT = 'svc.draft';
const MOST = 100;

function read<T>(key: string): readonly T[] {
  const text = localStorage.getItem(key);
  return text === null ? [] : (JSON.parse(text) as T[]);
}

/** The statements that were executed last, the latest first. */
export const executed = signal<readonly string[]>(read(HISTORY));
export const saved = signal<readonly SavedQuery[]>(read(SAVED));
/** The text of the editor. */
export const draft = signal(localStorage.getItem(DRAFT) ?? '');

/** Counts the statements that were put into the editor from elsewhere, such as the history. */
export const replacedDrafts = signal(0);

/** Puts a statement into the editor. */
export function replaceDraft(sql: string): void {
  changeDraft(sql);
  replacedDrafts.value++;
}

/** Notes what the user has typed. */
export function changeDraft(sql: string): void {
  draft.value = sql;
  localStorage.setItem(DRAFT, sql);
}

/** Puts a statement at the front of the history. */
export function noteExecuted(sql: string): void {
  executed.value = [sql, ...executed.value.filter((each) => each !== sql)].slice(0, MOST);
  localStorage.setItem(HISTORY, JSON.stringify(executed.value));
}

/** Removes the history. */
export function clearExecuted(): void {
  executed.value = [];
  localStorage.removeItem(HISTORY);
}

/** Saves a statement; another one of the same name is replaced. */
export function saveQuery(name: string, sql: string): void {
  keepSaved([...saved.value.filter((each) => each.name !== name), { name, sql }]);
}

/** Removes a saved statement. */
export function removeQuery(name: string): void {
  keepSaved(saved.value.filter((each) => each.name !== name));
}

function keepSaved(queries: readonly SavedQuery[]): void {
  saved.value = [...queries].sort((a, b) => a.name.localeCompare(b.name));
  localStorage.setItem(SAVED, JSON.stringify(saved.value));
}
