/** Addresses of resources: which resource a path names, its decoded segments, and the parameters of its query. */
import { fail } from '../base/errors.ts';
import { METHODS, RESOURCES, type ResourceDeclaration, type ResourceName } from './declarations.ts';

export interface Address {
  readonly resource: ResourceName;
  /** The values of the path's parameters, decoded, in their order. */
  readonly segments: readonly string[];
  /** The same as sent, with percent codes. */
  readonly sentSegments: readonly string[];
}

interface Route {
  readonly resource: ResourceName;
  /** Matches a path below the endpoint from `lastIndex` on; its groups are the parameters. */
  readonly pattern: RegExp;
  /** The first segment. */
  readonly collection: string;
  /** The methods in the form of the header Allow. */
  readonly methods: string;
}

/** The names of resources, which the compiler does not keep in the keys of a record. */
const NAMES = Object.keys(RESOURCES) as readonly ResourceName[];

const ROUTES: readonly Route[] = NAMES.map((resource) => {
  const { path, methods }: ResourceDeclaration = RESOURCES[resource];
  const segments = path.split('/').slice(1);
  const allowed = METHODS.filter((method) => methods[method] !== undefined);
  return {
    resource,
    pattern: new RegExp(`${segments.map(patternOf).join('/')}$`, 'sy'),
    collection: segments[0] ?? '',
    methods: ['HEAD', ...allowed].join(', '),
  };
});

/**
 * Returns the pattern of a segment. Dots stand for other paths, which clients and proxies resolve, so they name nothing
 * unless they are encoded; only the last segment, a key, can be empty.
 */
function patternOf(segment: string, at: number, { length }: readonly string[]): string {
  if (!segment.startsWith('{')) return segment;
  return `(?!\\.\\.?(?:/|$))([^/]${at === length - 1 ? '*' : '+'})`;
}

/** Reports whether the first segment of a path below the endpoint, which begins at `start`, is that of resources. */
export function isCollection(path: string, start: number): boolean {
  for (const { collection } of ROUTES) {
    const end = start + collection.length;
    if (path.startsWith(collection, start) && (path.length === end || path[end] === '/')) return true;
  }
  return false;
}

/** Returns the methods of {@link addressOf} a path; the empty string if it names no resource. */
export function methodsOf(path: string, start = 0): string {
  return ROUTES.find(({ pattern }) => match(pattern, path, start) !== null)?.methods ?? '';
}

/** Returns the methods of a resource in the form of the header Allow. */
export function methodsOfResource(resource: ResourceName): string {
  return ROUTES.find((route) => route.resource === resource)?.methods ?? '';
}

/**
 * Returns the resource that a path names, as sent, which is below the endpoint from index `start` on: each part of a
 * text that is created costs. Throws REQUEST_MALFORMED.
 */
export function addressOf(path: string, start = 0): Address | undefined {
  for (const { resource, pattern } of ROUTES) {
    const found = match(pattern, path, start);
    if (found === null) continue;
    const sentSegments = found.slice(1);
    // Most addresses are as they were sent.
    return { resource, segments: path.includes('%') ? sentSegments.map(decodedSegment) : sentSegments, sentSegments };
  }
  return undefined;
}

function match(pattern: RegExp, path: string, start: number): RegExpExecArray | null {
  pattern.lastIndex = start;
  return pattern.exec(path);
}

/** Returns the parameters of a query string in their order. Throws REQUEST_MALFORMED and LIMIT_EXCEEDED. */
export function pairsOf(query: string, limit: number): ReadonlyArray<readonly [name: string, value: string]> {
  if (query === '') return NO_PAIRS;
  const pairs: Array<readonly [name: string, value: string]> = [];
  // Most queries have nothing to decode, and one check is cheaper than a check of each part.
  const isPlain = !query.includes('%') && !query.includes('+');
  for (let start = 0; start < query.length; ) {
    const found = query.indexOf('&', start);
    const end = found < 0 ? query.length : found;
    if (end > start) {
      if (pairs.length === limit) throw fail('LIMIT_EXCEEDED', 'parameters', limit, limit + 1);
      const part = query.slice(start, end);
      const equals = part.indexOf('=');
      const name = equals < 0 ? part : part.slice(0, equals);
      const value = equals < 0 ? '' : part.slice(equals + 1);
      pairs.push(isPlain ? [name, value] : [decoded(name, true), decoded(value, true)]);
    }
    start = end + 1;
  }
  return pairs;
}

const NO_PAIRS: ReadonlyArray<readonly [name: string, value: string]> = [];

/** Decodes a segment of a path, or a part of one. Throws REQUEST_MALFORMED. */
export function decodedSegment(text: string): string {
  return decoded(text, false);
}

/** Decodes percent codes; `+` is a blank in a query string only. */
function decoded(text: string, inQuery: boolean): string {
  const spaced = inQuery && text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    throw fail('REQUEST_MALFORMED', 'the percent-encoded address is not valid UTF-8');
  }
}
