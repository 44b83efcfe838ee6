/** Validates cache requests and declarations and returns the resulting definitions; the same for every engine. */
import { type GridError, gridError } from '../base/errors.ts';
import type { Limits } from '../base/limits.ts';
import {
  type CacheDeclaration,
  DEFAULT_REGION,
  type RegionDeclaration,
  type TemplateDeclaration,
} from './declarations.ts';
import type { CacheDefinition, CacheRequest } from './grid.ts';

/** The existing caches. Most definitions are checked only against their number. */
export interface ExistingCaches extends Iterable<CacheDefinition> {
  readonly length: number;
}

/** A data region with its defaults applied. */
export interface Region {
  readonly name: string;
  readonly persistent: boolean;
  readonly maxSizeBytes: number | undefined;
  /** Time between syncs of a persistent region; 0 syncs with every commit. */
  readonly syncIntervalMs: number;
}

/** Number of backups that Ignite shows for a REPLICATED cache, which has a copy on every node. */
const BACKUPS_REPLICATED = 2_147_483_647;

const BUILT_IN_TEMPLATES: readonly TemplateDeclaration[] = [
  { name: 'PARTITIONED', mode: 'PARTITIONED' },
  { name: 'REPLICATED', mode: 'REPLICATED' },
];

/** The longest time to live: the last time that a Date can represent. */
const MAX_TTL_MS = 8_640_000_000_000_000;

/** Returns whether the name is reserved for caches of the service or of Ignite. */
function isReservedName(name: string): boolean {
  return name.startsWith('svc-sys-') || name.startsWith('ignite-sys-');
}

/** Returns the error for a cache that does not exist. `cacheOfTable` is the cache of a table with that name. */
export function missingCache(name: string, cacheOfTable?: string): GridError {
  return isReservedName(name) ? gridError('CACHE_IS_SYSTEM', name) : gridError('CACHE_NOT_FOUND', name, cacheOfTable);
}

/** Like {@link missingCache}, for the cache of a query. */
export function missingQueryCache(name: string, cacheOfTable?: string): GridError {
  return isReservedName(name)
    ? gridError('CACHE_IS_SYSTEM', name)
    : gridError('QUERY_CACHE_NOT_FOUND', name, cacheOfTable);
}

export class CacheRules {
  readonly regions: ReadonlyMap<string, Region>;
  readonly #templates: ReadonlyMap<string, TemplateDeclaration>;
  readonly #limits: Limits;

  /** Maximum number of caches. */
  get maxCaches(): number {
    return this.#limits.caches;
  }

  /** Maximum characters of a value that a request stores. */
  get maxValueCharacters(): number {
    return this.#limits.valueCharacters;
  }

  constructor(regions: readonly RegionDeclaration[], templates: readonly TemplateDeclaration[], limits: Limits) {
    const all: RegionDeclaration[] = [{ name: DEFAULT_REGION }, ...regions];
    this.regions = new Map(
      all.map(({ name, persistent = true, maxSizeBytes, syncIntervalMs = 0 }) => [
        name,
        { name, persistent, maxSizeBytes, syncIntervalMs },
      ]),
    );
    this.#templates = new Map([...BUILT_IN_TEMPLATES, ...templates].map((each) => [each.name.toLowerCase(), each]));
    this.#limits = limits;
  }

  /** Returns the definition of a requested cache. `existing` contains all caches. Throws the errors of getorcreate. */
  fromRequest(name: string, request: CacheRequest, existing: ExistingCaches): CacheDefinition {
    return this.#define(name, request, existing);
  }

  /** Returns the definition of a declared cache. */
  fromDeclaration(declaration: CacheDeclaration, existing: ExistingCaches): CacheDefinition {
    return this.#define(declaration.name, declaration, existing);
  }

  /** Like {@link fromDeclaration}, for a cache that exists; `others` are the remaining ones. */
  redeclared(declaration: CacheDeclaration, others: ExistingCaches): CacheDefinition {
    return this.#define(declaration.name, declaration, others, true);
  }

  #define(
    name: string,
    requested: CacheRequest & Partial<CacheDeclaration>,
    existing: ExistingCaches,
    isCounted = false,
  ): CacheDefinition {
    this.#checkName(name);
    const template = this.#template(requested.template);
    const mode = requested.mode ?? template.mode ?? 'PARTITIONED';
    const backups = requested.backups ?? template.backups ?? 0;
    if (backups < 0) throw gridError('BACKUPS_NEGATIVE', backups);
    const region = this.#region(requested.region ?? template.region ?? DEFAULT_REGION);
    const entities = requested.entities ?? [];
    const definition: CacheDefinition = {
      name,
      mode,
      backups: mode === 'REPLICATED' ? BACKUPS_REPLICATED : backups,
      region: region.name,
      group: requested.group ?? template.group,
      writeMode: requested.writeMode ?? template.writeMode ?? 'FULL_SYNC',
      atomicity: requested.atomicity ?? template.atomicity ?? 'ATOMIC',
      schema: requested.schema ?? (entities.length > 0 ? name : undefined),
      entities,
      persistent: region.persistent,
      ...expiryOf(requested, template),
      ...((requested.changeFeed ?? template.changeFeed) === true && { changeFeed: true }),
    };
    this.#checkAgainst(definition, existing);
    if (!isCounted && existing.length >= this.#limits.caches) throw gridError('CACHE_LIMIT', this.#limits.caches);
    return definition;
  }

  #checkName(name: string): void {
    if (name === '') throw gridError('CACHE_NAME_INVALID', 'must not be null or empty.');
    if (name.length > this.#limits.cacheNameCharacters)
      throw gridError('CACHE_NAME_INVALID', `must not be longer than ${this.#limits.cacheNameCharacters} characters.`);
    if (!name.isWellFormed()) throw gridError('CACHE_NAME_INVALID', 'must be valid Unicode.');
    if (isReservedName(name))
      throw gridError('CACHE_NAME_INVALID', `cannot be "${name}" because it is reserved for internal purposes.`);
  }

  #template(name: string | undefined): TemplateDeclaration {
    const wanted = name === undefined || name === '' ? 'partitioned' : name.toLowerCase();
    const template = this.#templates.get(wanted);
    if (!template)
      throw gridError(
        'TEMPLATE_NOT_FOUND',
        name ?? '',
        [...this.#templates.values()].map((each) => each.name),
      );
    return template;
  }

  #region(name: string): Region {
    const region = this.regions.get(name);
    if (!region) throw gridError('REGION_NOT_FOUND', name, [...this.regions.keys()]);
    return region;
  }

  #checkAgainst(starting: CacheDefinition, existing: ExistingCaches): void {
    const { group } = starting;
    if (group !== undefined) {
      for (const other of existing) {
        if (other.group !== group) continue;
        if (other.mode !== starting.mode)
          throw gridError('GROUP_MODE_MISMATCH', group, other.name, other.mode, starting.name, starting.mode);
        if (other.backups !== starting.backups)
          throw gridError('GROUP_MISMATCH', group, other.name, other.backups, starting.name, starting.backups);
        if (other.region !== starting.region)
          throw gridError('GROUP_REGION_MISMATCH', group, other.name, other.region, starting.name, starting.region);
      }
    }
  }
}

type Expiry = Pick<CacheDefinition, 'ttlMs' | 'sliding'>;

/** Returns the expiry of a cache. Throws SLIDING_WITHOUT_TTL. */
function expiryOf(requested: Expiry, template: Expiry): Expiry {
  const ttlMs = Math.min(requested.ttlMs ?? template.ttlMs ?? 0, MAX_TTL_MS);
  if (ttlMs === 0) {
    if (requested.sliding === true) throw gridError('SLIDING_WITHOUT_TTL');
    return {};
  }
  return (requested.sliding ?? template.sliding) === true ? { ttlMs, sliding: true } : { ttlMs };
}
