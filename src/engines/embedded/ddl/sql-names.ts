/** The SQL names of tables and indexes of query entities (docs/spec/ignite-cluster.md 6.4). */
import type { CacheDefinition, QueryEntity } from '../../../grid/grid.ts';
import { entityTableName, indexName } from '../storage/definitions.ts';

export const PUBLIC_SCHEMA = 'PUBLIC';

/** Returns the schema of a cache's tables, which is also the default schema of statements over it. */
export function schemaOf(definition: CacheDefinition): string {
  return definition.schema ?? PUBLIC_SCHEMA;
}

export function tableSqlName(entity: QueryEntity): string {
  return entity.fromSql ? entityTableName(entity) : entityTableName(entity).toUpperCase();
}

export function indexSqlName(entity: QueryEntity, index: NonNullable<QueryEntity['indexes']>[number]): string {
  return entity.fromSql ? indexName(entity, index) : indexName(entity, index).toUpperCase();
}
