/** The module that configuration files import: `import { defineConfig } from 'svc'`. */
export type {
  CachePart,
  ClassPart,
  ClusterPart,
  EntityPart,
  FieldPart,
  HttpPart,
  IndexPart,
  ScanPredicate,
  SeedPart,
  SvcConfiguration,
  UserDeclaration,
} from './configuration/declaration.ts';
export { defineConfig } from './configuration/define-config.ts';
export type { FieldWord } from './configuration/field-words.ts';
export type { RegionDeclaration, TemplateDeclaration } from './grid/declarations.ts';
export type { PermissionDeclaration } from './service/security/permissions.ts';
export type { RoleDeclaration } from './service/security/roles.ts';
export type {
  MappedTask,
  TaskArgument,
  TaskCaches,
  TaskContext,
  TaskDeclaration,
  TaskFunction,
  TaskLog,
} from './service/tasks/task-declaration.ts';
export type { MessageInterceptor } from './values/interceptor.ts';
export type { Value } from './values/value.ts';
