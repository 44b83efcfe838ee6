/** Queries in tabs, executed and saved statements, kept by the browser for each user. */
import { batch, computed, signal } from '@preact/signals';
import { keep, readKept } from '../requests/browser-storage.ts';
import { ownKey, signedIn } from '../requests/session.ts';

export interface SavedQuery {
  readonly name: string;
  readonly sql: string;
}

/** The value of a parameter, as the user has typed it. */
export interface ParameterValue {
  readonly type: string;
  readonly value: string;
}

export interface QueryTab {
  readonly id: number;
  readonly name: string;
  readonly sql: string;
  /** Values by the keys of parameters; a key without one has none yet. */
  readonly values: Readonly<Record<string, ParameterValue>>;
  /** The cache whose schema is the default; empty: PUBLIC. */
  readonly schema: string;
}

export interface Executed {
  readonly sql: string;
  /** When it began, in milliseconds since 1970. */
  readonly at: number;
  readonly timeMs?: number;
  /** What came of it: a number of rows, or an error. */
  readonly outcome: string;
  readonly isFailed: boolean;
}

const HISTORY = 'svc.history';
const SAVED = 'svc.saved';
const TABS = 'svc.tabs';
/** Whoever needs older statements saves them. */
const MAX_EXECUTED = 300;

const EMPTY = { values: {}, schema: '' } as const;

export const tabs = signal<readonly QueryTab[]>([]);
const activeId = signal(1);
/** Results are kept by the number of their tab, so that no other one may have it. */
let nextId = 1;
/** The tab that is shown. */
export const activeTab = computed<QueryTab>(
  () => tabs.value.find(({ id }) => id === activeId.value) ?? tabs.value[0] ?? { id: 0, name: '', sql: '', ...EMPTY },
);

/** Counts the statements that were put into the editor from elsewhere, such as the history. */
export const replacedDrafts = signal(0);

function keepTabs(): void {
  keep(ownKey(TABS), { tabs: tabs.peek(), active: activeId.peek() });
}

/** Changes the tab that is shown. */
export function changeTab(part: Partial<Omit<QueryTab, 'id'>>): void {
  const { id } = activeTab.peek();
  tabs.value = tabs.peek().map((each) => (each.id === id ? { ...each, ...part } : each));
  keepTabs();
}

export function showTab(id: number): void {
  activeId.value = id;
  keepTabs();
}

/** Opens a tab with a statement. Without a name it is numbered. */
export function openTab(sql: string, name?: string): void {
  const id = nextId++;
  const used = new Set(tabs.peek().map((each) => each.name));
  let number = 1;
  while (used.has(`Query ${number}`)) number++;
  tabs.value = [...tabs.peek(), { id, name: name ?? `Query ${number}`, sql, ...EMPTY }];
  showTab(id);
}

/** Closes a tab; the one beside it is shown. The last one is replaced by an empty one. */
export function closeTab(id: number): void {
  const at = tabs.peek().findIndex((each) => each.id === id);
  const rest = tabs.peek().filter((each) => each.id !== id);
  const next = rest[Math.min(at, rest.length - 1)];
  batch(() => {
    tabs.value = rest;
    if (next === undefined) openTab('');
    else if (activeId.peek() === id) showTab(next.id);
    else keepTabs();
  });
}

/** Puts a statement into the editor. */
export function replaceDraft(sql: string): void {
  changeTab({ sql });
  replacedDrafts.value++;
}

/** Shows a statement from elsewhere: in the tab that has it, else in the one shown if it is empty, else in another. */
export function openStatement(sql: string): void {
  const same = tabs.peek().find((each) => each.sql === sql);
  const name = saved.peek().find((each) => each.sql === sql)?.name;
  if (same !== undefined) showTab(same.id);
  else if (activeTab.peek().sql.trim() !== '') openTab(sql, name);
  else {
    replaceDraft(sql);
    if (name !== undefined) changeTab({ name });
  }
}

/** The statements that were executed last, the latest first. */
export const executed = signal<readonly Executed[]>([]);
export const saved = signal<readonly SavedQuery[]>([]);

/** Reads what the browser keeps for the user. */
function load(): void {
  const begun = readKept<{ readonly tabs: readonly QueryTab[]; readonly active: number }>(ownKey(TABS));
  batch(() => {
    tabs.value = begun?.tabs ?? [{ id: 1, name: 'Query 1', sql: '', ...EMPTY }];
    activeId.value = begun?.active ?? 1;
    executed.value = readKept(ownKey(HISTORY)) ?? [];
    saved.value = readKept(ownKey(SAVED)) ?? [];
  });
  nextId = Math.max(0, ...tabs.peek().map(({ id }) => id)) + 1;
}

/** Whose texts were read; undefined: nobody is signed in. */
let loadedFor: string | undefined;
signedIn.subscribe((session) => {
  // After the end of a session, the user may log in again and go on.
  if (session === undefined || session.user === loadedFor) return;
  loadedFor = session.user;
  load();
});
if (loadedFor === undefined) load();

/** Puts a statement at the front of the history. */
export function noteExecuted(one: Executed): void {
  executed.value = [one, ...executed.value.filter(({ sql }) => sql !== one.sql)].slice(0, MAX_EXECUTED);
  keep(ownKey(HISTORY), executed.value);
}

/** Removes the history. */
export function clearExecuted(): void {
  executed.value = [];
  localStorage.removeItem(ownKey(HISTORY));
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
  keep(ownKey(SAVED), saved.value);
}
