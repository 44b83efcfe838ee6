/** How a request or a declaration becomes a cache's definition, and what is refused. The same for every engine. */
import { fail } from '../base/errors.ts';
import type { Limits } from '../base/limits.ts';
import {
  type CacheDeclaration,
  DEFAULT_REGION,
  type RegionDeclaration,
  type TemplateDeclaration,
} from './declarations.ts';
import type { CacheDefinition, CacheRequest } from './grid.ts';

/** A region with everything settled. */
export interface Region {
  readonly name: string;
  readonly persistent: boolean;
  readonly maxSizeBytes: number | undefined;
}

/** Backups of a REPLICATED cache, as Ignite shows them: every node has a copy. */
const BACKUPS_REPLICATED = 2_147_483_647;

const BUILT_IN_TEMPLATES: readonly TemplateDeclaration[] = [
  { name: 'PARTITIONED', mode: 'PARTITIONED' },
  { name: 'REPLICATED', mode: 'REPLICATED' },
];

/** Prefix of cache names that the grid keeps for itself. */
const RESERVED_PREFIX = 'svc-sys-';

export class CacheRules {
  readonly regions: ReadonlyMap<string, Region>;
  readonly #templates: ReadonlyMap<string, TemplateDeclaration>;
  readonly #limits: Limits;

  /** Caches that there can be. */
  get maxCaches(): number {
    return this.#limits.caches;
  }

  constructor(regions: readonly RegionDeclaration[], templates: readonly TemplateDeclaration[], limits: Limits) {
    const all: RegionDeclaration[] = [{ name: DEFAULT_REGION }, ...regions];
    this.regions = new Map(
      all.map(({ name, persistent = true, maxSizeBytes }) => [name, { name, persistent, maxSizeBytes }]),
    );
    this.#templates = new Map([...BUILT_IN_TEMPLATES, ...templates].map((each) => [each.name.toLowerCase(), each]));
    this.#limits = limits;
  }

  /** The definition of a cache that is asked for by request. `existing` are all caches there are. */
  fromRequest(name: string, request: CacheRequest, existing: Iterable<CacheDefinition>): CacheDefinition {
    return this.#define(name, request, existing);
  }

  /** The definition of a cache of the configuration. */
  fromDeclaration(declaration: CacheDeclaration, existing: Iterable<CacheDefinition>): CacheDefinition {
    return this.#define(declaration.name, declaration, existing);
  }

  #define(
    name: string,
    asked: CacheRequest & Partial<CacheDeclaration>,
    existing: Iterable<CacheDefinition>,
  ): CacheDefinition {
    this.#checkName(name);
    const template = this.#template(asked.template);
    const mode = asked.mode ?? template.mode ?? 'PARTITIONED';
    const backups = asked.backups ?? template.backups ?? 0;
    if (backups < 0) throw fail('BACKUPS_NEGATIVE', backups);
    const region = this.#region(asked.region ?? template.region ?? DEFAULT_REGION);
    const entities = asked.entities ?? [];
    const definition: CacheDefinition = {
      name,
      mode,
      backups: mode === 'REPLICATED' ? BACKUPS_REPLICATED : backups,
      region: region.name,
      group: asked.group ?? template.group,
      writeMode: asked.writeMode ?? template.writeMode ?? 'FULL_SYNC',
      atomicity: asked.atomicity ?? template.atomicity ?? 'ATOMIC',
      schema: asked.schema ?? (entities.length > 0 ? name : undefined),
      entities,
      persistent: region.persistent,
    };
    this.#checkAgainst(definition, existing);
    return definition;
  }

  #checkName(name: string): void {
    if (name === '') throw fail('CACHE_NAME_INVALID', 'must not be null or empty.');
    if (name.length > this.#limits.cacheNameCharacters)
      throw fail('CACHE_NAME_INVALID', `must not be longer than ${this.#limits.cacheNameCharacters} characters.`);
    if (name.startsWith(RESERVED_PREFIX))
      throw fail('CACHE_NAME_INVALID', `cannot be "${name}" because it is reserved for internal purposes.`);
  }

  #template(name: string | undefined): TemplateDeclaration {
    const wanted = name === undefined || name === '' ? 'partitioned' : name.toLowerCase();
    const template = this.#templates.get(wanted);
    if (!template)
      throw fail(
        'TEMPLATE_NOT_FOUND',
        name ?? '',
        [...this.#templates.values()].map((each) => each.name),
      );
    return template;
  }

  #region(name: string): Region {
    const region = this.regions.get(name);
    if (!region) throw fail('REGION_NOT_FOUND', name, [...this.regions.keys()]);
    return region;
  }

  #checkAgainst(starting: CacheDefinition, existing: Iterable<CacheDefinition>): void {
    let count = 0;
    for (const other of existing) {
      count++;
      if (starting.group === undefined || other.group !== starting.group) continue;
      if (other.backups !== starting.backups || other.mode !== starting.mode)
        throw fail('GROUP_MISMATCH', starting.group, other.name, other.backups, starting.name, starting.backups);
      if (other.region !== starting.region)
        throw fail('GROUP_REGION_MISMATCH', starting.group, other.name, other.region, starting.name, starting.region);
    }
    if (count >= this.#limits.caches) throw fail('CACHE_LIMIT', this.#limits.caches);
  }
}
