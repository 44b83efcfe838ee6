/**
 * Queries in tabs and executed statements, kept by the browser for each user. Each query has an id that is not
 * used again. A page of the console shows queries that no other page of the browser shows, and writes only its own, so
 * pages do not overwrite each other's texts. When a page is closed, the next one shows its queries.
 */
import { batch, computed, signal } from '@preact/signals';
import { keep, readKept } from '../requests/browser-storage.ts';
import { ownKey, signedIn } from '../requests/session.ts';
import type { SavedQuery } from './saved-queries.ts';

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
  /** The cache whose schema is the default; empty means PUBLIC. */
  readonly schema: string;
  /** The saved query that the tab shows, as it was when it was read or saved last; undefined if none. */
  readonly saved?: SavedQuery | undefined;
}

export interface BrowserQuery {
  readonly name: string;
  readonly sql: string;
}

export interface Executed {
  readonly sql: string;
  /** When it began, in milliseconds since 1970. */
  readonly at: number;
  readonly timeMs?: number;
  /** Its result: a number of rows, or an error. */
  readonly outcome: string;
  readonly isFailed: boolean;
}

const HISTORY = 'svc.history';
const SAVED = 'svc.saved';
const TABS = 'svc.tabs';
const CLAIMS = 'svc.tabs.claims';
const PAGE = 'svc.page';
/** How often a page announces itself, and how long that counts: browsers wake hidden pages once a minute. */
const CLAIM_EVERY_MS = 30_000;
const CLAIMED_MS = 90_000;
/** Older statements that are needed can be saved. */
const MAX_EXECUTED = 300;

const EMPTY = { values: {}, schema: '' } as const;

export const tabs = signal<readonly QueryTab[]>([]);
const activeId = signal(0);
/** The tab that is shown. */
export const activeTab = computed<QueryTab>(
  () => tabs.value.find(({ id }) => id === activeId.value) ?? tabs.value[0] ?? { id: 0, name: '', sql: '', ...EMPTY },
);

/** Counts the statements that were put into the editor from elsewhere, such as the history. */
export const replacedDrafts = signal(0);

interface KeptTabs {
  readonly tabs: readonly QueryTab[];
  readonly active: number;
}

/** Which page shows a query, by the query's id, and when that page was last known to be there. */
type Claims = Readonly<Record<string, { readonly page: string; readonly atMs: number }>>;

/** Queries closed here: other pages may still store them. */
const closed = new Set<number>();

/** Returns the id of this page of the browser, which it keeps when it is loaded again. */
function ownPage(): string {
  const known = sessionStorage.getItem(PAGE);
  if (known !== null) return known;
  const created = `${newId()}`;
  sessionStorage.setItem(PAGE, created);
  return created;
}

/** Results are stored by the id of their query, so no other query may have it, in any page. */
function newId(): number {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
  return (high % 2 ** 20) * 2 ** 32 + low;
}

function keptTabs(): readonly QueryTab[] {
  return readKept<KeptTabs>(ownKey(TABS))?.tabs ?? [];
}

/** Keeps the queries of this page among those of others. */
function keepTabs(): void {
  const own = new Map(tabs.peek().map((each) => [each.id, each]));
  const kept = keptTabs().flatMap((each) => (closed.has(each.id) ? [] : [own.get(each.id) ?? each]));
  const known = new Set(kept.map(({ id }) => id));
  const added = [...own.values()].filter(({ id }) => !known.has(id));
  keep(ownKey(TABS), { tabs: [...kept, ...added], active: activeId.peek() });
  keepClaims(true);
}

/** Announces which queries this page shows, or none when it is closed. */
function keepClaims(isShown: boolean): void {
  const nowMs = Date.now();
  const page = ownPage();
  const others = Object.entries(claimsOfOthers());
  const own = isShown ? tabs.peek().map(({ id }) => [id, { page, atMs: nowMs }]) : [];
  keep(ownKey(CLAIMS), Object.fromEntries([...others, ...own]));
}

function claimsOfOthers(): Claims {
  const page = ownPage();
  const claims = Object.entries(readKept<Claims>(ownKey(CLAIMS)) ?? {});
  return Object.fromEntries(claims.filter(([, claim]) => claim.page !== page && Date.now() - claim.atMs < CLAIMED_MS));
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
  const id = newId();
  tabs.value = [...tabs.peek(), { id, name: name ?? freeName(), sql, ...EMPTY }];
  showTab(id);
}

/** Returns a numbered name that no query of any page has. */
function freeName(): string {
  const used = new Set([...keptTabs(), ...tabs.peek()].filter(({ id }) => !closed.has(id)).map(({ name }) => name));
  let number = 1;
  while (used.has(`Query ${number}`)) number++;
  return `Query ${number}`;
}

/** Closes a tab, and shows the one next to it. The last one is replaced with an empty one. */
export function closeTab(id: number): void {
  closed.add(id);
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

/** Returns whether closing a tab would lose nothing. */
function isEmpty({ sql, saved }: QueryTab): boolean {
  return sql.trim() === '' && saved === undefined;
}

/** Returns whether a tab has another text or default schema than its saved query. */
export function isModified({ sql, schema, saved }: QueryTab): boolean {
  return saved !== undefined && (sql !== saved.qry || schema !== (saved.cacheName ?? ''));
}

/** Shows a saved query in the tab that has it, else in the one shown if it is empty, else in another. */
export function openSaved(query: SavedQuery): void {
  const same = tabs.peek().find(({ saved }) => saved?.id === query.id);
  batch(() => {
    if (same !== undefined) showTab(same.id);
    else if (!isEmpty(activeTab.peek())) openTab('');
    // Text typed here is kept, even if the query has been changed since.
    if (same !== undefined && isModified(same)) {
      changeTab({ saved: { ...query, revision: same.saved?.revision ?? 0 }, values: valuesWith(query, same) });
    } else showAsSaved(query);
  });
}

/** Makes the current tab show a saved query, with its text and the defaults of its parameters. */
export function showAsSaved(query: SavedQuery): void {
  const tab = activeTab.peek();
  changeTab({
    name: query.name,
    sql: query.qry,
    schema: query.cacheName ?? '',
    saved: query,
    values: valuesWith(query, tab.saved?.id === query.id ? tab : { values: {}, saved: undefined }),
  });
  if (tab.sql !== query.qry) replacedDrafts.value++;
}

function defaultsOf(query: SavedQuery | undefined): ReadonlyMap<string, ParameterValue> {
  const parameters = query?.parameters ?? [];
  return new Map(
    parameters.flatMap(({ name, type, default: value }) => (value === null ? [] : [[name, { type, value }] as const])),
  );
}

/** Returns the values for a query: those typed in its tab, and for others the defaults, even new ones. */
function valuesWith(query: SavedQuery, { values, saved }: Pick<QueryTab, 'values' | 'saved'>): QueryTab['values'] {
  const [before, defaults] = [defaultsOf(saved), defaultsOf(query)];
  const typed = Object.entries(values).filter(([name, { type, value }]) => {
    const isEmptyField = value === '' && type !== 'null';
    const isDefault = before.get(name)?.value === value && before.get(name)?.type === type;
    return !defaults.has(name) || !(isEmptyField || isDefault);
  });
  return { ...Object.fromEntries(defaults), ...Object.fromEntries(typed) };
}

/** Notes that a tab has been saved as a query, or with undefined that its query is gone. Text typed since stays. */
export function noteSaved(id: number, query: SavedQuery | undefined): void {
  tabs.value = tabs.peek().map((each) => {
    if (each.id !== id) return each;
    const values = query === undefined ? each.values : valuesWith(query, each);
    return { ...each, name: query?.name ?? each.name, saved: query, values };
  });
  keepTabs();
}

/** Notes the new state of a saved query in every tab that shows it. */
export function noteChanged(id: string, query: SavedQuery | undefined): void {
  for (const tab of tabs.peek()) if (tab.saved?.id === id) noteSaved(tab.id, query);
}

/** Shows a statement from elsewhere: in the tab that has it, else in the one shown if it is empty, else in another. */
export function openStatement(sql: string): void {
  const same = tabs.peek().find((each) => each.sql === sql);
  if (same !== undefined) showTab(same.id);
  else if (!isEmpty(activeTab.peek())) openTab(sql);
  else replaceDraft(sql);
}

/** The statements that were executed last, the latest first. */
export const executed = signal<readonly Executed[]>([]);
/** Queries that earlier builds stored only in the browser. */
export const inBrowser = signal<readonly BrowserQuery[]>([]);

/** Reads the data that the browser keeps for the user. */
function load(): void {
  const begun = readKept<KeptTabs>(ownKey(TABS));
  const taken = claimsOfOthers();
  const free = (begun?.tabs ?? []).filter(({ id }) => taken[id] === undefined);
  batch(() => {
    tabs.value = free;
    activeId.value = begun?.active ?? 0;
    executed.value = readKept(ownKey(HISTORY)) ?? [];
    inBrowser.value = readKept(ownKey(SAVED)) ?? [];
    if (free.length === 0) openTab('');
    else keepClaims(true);
  });
}

/** Statements executed by other pages since are also known here. */
addEventListener('storage', ({ key }) => {
  if (key === ownKey(HISTORY)) executed.value = readKept(ownKey(HISTORY)) ?? [];
  if (key === ownKey(SAVED)) inBrowser.value = readKept(ownKey(SAVED)) ?? [];
});
setInterval(() => keepClaims(true), CLAIM_EVERY_MS);
addEventListener('pagehide', () => keepClaims(false));
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) keepClaims(true);
});

/** The user whose texts were read; undefined if no one is signed in. */
let loadedFor: string | undefined;
signedIn.subscribe((session) => {
  // After the end of a session, the user may log in again and continue.
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

/** Forgets a query that only the browser had. */
export function forgetInBrowser(name: string): void {
  inBrowser.value = inBrowser.peek().filter((each) => each.name !== name);
  if (inBrowser.value.length === 0) localStorage.removeItem(ownKey(SAVED));
  else keep(ownKey(SAVED), inBrowser.value);
}
