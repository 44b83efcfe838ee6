/** Addresses of resources: the resource that a path names, its decoded segments, and the parameters of its query. */
import { gridError } from '../base/errors.ts';
import type { ResourceAddress } from '../service/request.ts';
import { METHODS, RESOURCES, type ResourceDeclaration, type ResourceName } from './declarations.ts';

/** A path below the endpoint: a collection, a name, a member of the named object, and a key if the member has any. */
interface Route {
  readonly resource: ResourceName;
  /** `caches/` */
  readonly before: string;
  /** The address after the name: `/entries/`, or `/rows` if no key follows. */
  readonly behind: string;
  readonly hasKey: boolean;
  /** The methods in the form of the Allow header. */
  readonly methods: string;
}

/** The names of resources, which the compiler does not preserve in the keys of a record. */
const NAMES = Object.keys(RESOURCES) as readonly ResourceName[];

const ROUTES: readonly Route[] = NAMES.map((resource) => {
  const { path, methods }: ResourceDeclaration = RESOURCES[resource];
  const [, collection, , member, key] = path.split('/');
  const hasKey = key !== undefined;
  const allowed = METHODS.filter((method) => methods[method] !== undefined);
  return {
    resource,
    before: `${collection}/`,
    behind: `/${member}${hasKey ? '/' : ''}`,
    hasKey,
    methods: ['HEAD', ...allowed].join(', '),
  };
});

/** The first segments of all addresses, each followed by a slash. */
export const COLLECTIONS: readonly string[] = [...new Set(ROUTES.map(({ before }) => before))];

/** Returns a resource's methods in the form of the Allow header. */
export function methodsOfResource(resource: ResourceName): string {
  return ROUTES.find((route) => route.resource === resource)?.methods ?? '';
}

const NOTHING: ResourceAddress = { resource: undefined, segments: [] };

/**
 * Returns the resource that a path names, as sent, which is below the endpoint from index `start` on, or undefined if
 * its first segment is not a collection. Extracts no part of the text that it does not return, because each costs time.
 */
export function addressOf(path: string, start: number): ResourceAddress | undefined {
  let address: ResourceAddress | undefined;
  for (const { resource, before, behind, hasKey } of ROUTES) {
    if (!path.startsWith(before, start)) continue;
    address = NOTHING;
    const nameStart = start + before.length;
    const nameEnd = path.indexOf('/', nameStart);
    if (nameEnd <= nameStart || !path.startsWith(behind, nameEnd)) continue;
    const name = path.slice(nameStart, nameEnd);
    const key = path.slice(nameEnd + behind.length);
    // Only a key can be empty.
    if (isOtherPath(name) || (hasKey ? isOtherPath(key) || key.includes('/') : key !== '')) continue;
    return { resource, segments: hasKey ? [name, key] : [name] };
  }
  return address ?? (ROUTES.some(({ before }) => before === `${path.slice(start)}/`) ? NOTHING : undefined);
}

/** Reports whether a segment represents another path, which clients and proxies resolve. As a name it is encoded. */
function isOtherPath(segment: string): boolean {
  return segment === '.' || segment === '..';
}

/** Returns a query string's parameters in order. Throws REQUEST_MALFORMED and LIMIT_EXCEEDED. */
export function pairsOf(query: string, limit: number): ReadonlyArray<readonly [name: string, value: string]> {
  if (query === '') return NO_PAIRS;
  const pairs: Array<readonly [name: string, value: string]> = [];
  // Most queries need no decoding, and one check is cheaper than checking each part.
  const isPlain = !query.includes('%') && !query.includes('+');
  for (let start = 0; start < query.length; ) {
    const found = query.indexOf('&', start);
    const end = found < 0 ? query.length : found;
    if (end > start) {
      if (pairs.length === limit)
        throw gridError('LIMIT_EXCEEDED', 'parameters', limit, limit + 1, 'parametersPerRequest');
      const equals = query.indexOf('=', start);
      const nameEnd = equals < 0 || equals > end ? end : equals;
      const name = query.slice(start, nameEnd);
      const value = query.slice(nameEnd + 1, end);
      pairs.push(isPlain ? [name, value] : [decoded(name, true), decoded(value, true)]);
    }
    start = end + 1;
  }
  return pairs;
}

const NO_PAIRS: ReadonlyArray<readonly [name: string, value: string]> = [];

/** Decodes a path's segments; most are as they were sent. Throws REQUEST_MALFORMED. */
export function decodedSegments(sent: readonly string[]): readonly string[] {
  return sent.some((segment) => segment.includes('%')) ? sent.map(decodedSegment) : sent;
}

/** Decodes a path segment, or part of one. Throws REQUEST_MALFORMED. */
export function decodedSegment(text: string): string {
  return decoded(text, false);
}

/** Decodes percent-encoding; `+` is a blank only in a query string. */
function decoded(text: string, inQuery: boolean): string {
  const spaced = inQuery && text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    throw gridError('REQUEST_MALFORMED', 'the percent-encoded address is not valid UTF-8');
  }
}
