/** Compares a cluster's cache with its declaration. A node cannot add entities to a running cache; only SQL does. */
import type { CacheDeclaration } from '../../../grid/declarations.ts';
import type { CacheDefinition, EntityIndex } from '../../../grid/grid.ts';

/**
 * Returns the declared entities that a cache lacks; for the others, fields (`Type.field`) and indexes (`Type(field)`).
 */
export function lackingEntities(
  { entities }: Pick<CacheDefinition, 'entities'>,
  declaration: Pick<CacheDeclaration, 'entities'>,
): readonly string[] {
  return (declaration.entities ?? []).flatMap(({ valueType, fields, indexes = [] }) => {
    const own = entities.find((each) => each.valueType === valueType);
    if (own === undefined) return [valueType];
    const names = new Set(own.fields.map(({ name }) => name.toUpperCase()));
    const indexed = new Set(own.indexes?.map(indexedFields));
    return [
      ...fields.filter(({ name }) => !names.has(name.toUpperCase())).map(({ name }) => `${valueType}.${name}`),
      ...indexes
        .filter((index) => !indexed.has(indexedFields(index)))
        .map((index) => `${valueType}(${index.fields.map(({ name }) => name).join(', ')})`),
    ];
  });
}

/** SQL declares names in upper case. */
function indexedFields({ fields }: EntityIndex): string {
  return JSON.stringify(fields.map(({ name }) => name.toUpperCase()));
}
