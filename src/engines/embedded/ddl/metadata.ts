/** Describes a cache's query entities with Ignite's names (docs/spec/contract.md 2.4). */
import type { CacheMetadata, QueryEntity } from '../../../grid/grid.ts';
import { SCALAR_TRAITS } from '../../../values/scalar-traits.ts';
import { javaClassOf } from '../../../values/type-names.ts';
import type { FieldType, ScalarTypeName } from '../../../values/value.ts';
import { columnSqlName, type StoredCache } from '../storage/definitions.ts';
import { isScalarName } from '../storage/value-storage.ts';
import { indexSqlName } from './sql-names.ts';

const OBJECT_CLASS = 'java.lang.Object';

export function describeCache({ definition, unfit = {} }: Pick<StoredCache, 'definition' | 'unfit'>): CacheMetadata {
  const entities = definition.entities.map((entity) => [simpleName(entity.valueType), entity] as const);
  const each = <T>(describe: (entity: QueryEntity) => T): Record<string, T> =>
    Object.fromEntries(entities.map(([name, entity]) => [name, describe(entity)]));
  return {
    cacheName: definition.name,
    types: entities.map(([name]) => name),
    keyClasses: each((entity) => classOfName(entity.keyType)),
    valClasses: each((entity) => classOfName(entity.valueType)),
    fields: each(describeFields),
    indexes: each(describeIndexes),
    ...(Object.keys(unfit).length > 0 && { unfit: each((entity) => unfit[entity.valueType] ?? 0) }),
  };
}

/** Returns a type name without its package and outer class, as Ignite shows it. */
function simpleName(typeName: string): string {
  return typeName.split(/[.$]/).at(-1) || typeName;
}

function classOfName(typeName: string): string {
  return isScalar(typeName) ? SCALAR_TRAITS[typeName].javaClass : OBJECT_CLASS;
}

function isScalar(typeName: string): typeName is ScalarTypeName {
  return isScalarName(typeName);
}

function describeFields(entity: QueryEntity): Record<string, string> {
  const fields: Record<string, string> = {
    _KEY: classOfName(entity.keyType),
    _VAL: classOfName(entity.valueType),
  };
  for (const field of entity.fields) fields[columnSqlName(entity, field)] = classOfField(field.type);
  return fields;
}

function describeIndexes(entity: QueryEntity): CacheMetadata['indexes'][string] {
  return (entity.indexes ?? []).map((index) => {
    const columns = index.fields.map(({ name, descending }) => ({
      name: columnSqlName(entity, entity.fields.find((field) => field.name === name) ?? { name }),
      descending: descending ?? false,
    }));
    return {
      name: indexSqlName(entity, index),
      fields: columns.map((column) => column.name),
      descendings: columns.filter((column) => column.descending).map((column) => column.name),
      unique: index.unique ?? false,
    };
  });
}

function classOfField(type: FieldType): string {
  switch (type.kind) {
    case 'scalar':
      return SCALAR_TRAITS[type.type].javaClass;
    case 'list':
    case 'map':
      return javaClassOf({ type: type.kind, data: [] });
    case 'array':
    case 'any':
      return OBJECT_CLASS;
  }
}
