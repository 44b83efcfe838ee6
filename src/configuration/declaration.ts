/**
 * The type of a configuration file. Its options follow from the table in src/configuration/options.ts; all other parts
 * (caches, users, tasks, ...) are declared here.
 */
import type { CacheSettings, RegionDeclaration, TemplateDeclaration } from '../grid/declarations.ts';
import type { PermissionDeclaration } from '../service/security/permissions.ts';
import type { TaskDeclarations } from '../service/tasks/task-declaration.ts';
import type { MessageInterceptor } from '../values/interceptor.ts';
import type { Value } from '../values/value.ts';
import type { FieldWord } from './field-words.ts';
import type { OptionPath, OptionValues } from './options.ts';

/** The names directly below an option folder; `http.` has `host`, `port`, `tls`, ... */
type NameIn<F extends string> = {
  [P in OptionPath]: P extends `${F}${infer Rest}` ? (Rest extends `${infer Name}.${string}` ? Name : Rest) : never;
}[OptionPath];

/** A folder of options as an object. A name can be an option, a folder, or both, as `engine` is. */
type OptionFolder<F extends string = ''> = {
  readonly [N in NameIn<F>]?:
    | (`${F}${N}` extends infer P extends OptionPath ? NonNullable<OptionValues[P]> : never)
    | ([NameIn<`${F}${N}.`>] extends [never] ? never : OptionFolder<`${F}${N}.`>);
};

export type HttpPart = OptionFolder<'http.'>;
export type ClusterPart = OptionFolder<'engine.cluster.'>;

/** The contents of `svc.config.ts`; every member is optional. `svc help serve` describes the options. */
export interface SvcConfiguration extends OptionFolder {
  /** Users of a new store; afterwards the store keeps the users. */
  readonly users?: readonly UserDeclaration[];
  /**
   * Maps subjects of client certificates to users. Subjects are written as in RFC 4514 (`CN=ann,O=Example`, special
   * characters escaped: `CN=Ann\\, Inc.`). Needs http.tls.ca.
   */
  readonly certificateUsers?: Readonly<Record<string, string>>;
  /** Roles and the users that have them. */
  readonly permissions?: PermissionDeclaration;
  readonly regions?: readonly RegionDeclaration[];
  readonly templates?: readonly TemplateDeclaration[];
  readonly caches?: readonly CachePart[];
  /** Custom types by name (docs/spec/contract.md 2.2, step 1). */
  readonly classes?: Readonly<Record<string, ClassPart>>;
  /** Tasks by name: a task, or the path of a module, relative to this file, whose default export is one. */
  readonly tasks?: TaskDeclarations;
  /** Predicates of qryscanexe by class name. */
  readonly scanPredicates?: Readonly<Record<string, ScanPredicate>>;
  readonly interceptor?: MessageInterceptor;
}

export interface UserDeclaration {
  readonly name: string;
  readonly password: string;
}

/** A cache that exists from startup. Omitted members come from the template. */
export interface CachePart extends CacheSettings {
  readonly name: string;
  readonly template?: string;
  /** SQL schema; default: the cache's name when it has entities. */
  readonly schema?: string;
  /** SQL tables over the cache's entries. */
  readonly entities?: readonly EntityPart[];
  /** Initial entries, stored if the cache is empty at startup. */
  readonly entries?: readonly SeedPart[];
}

export interface EntityPart {
  /** Type of the keys, by the name that clients use. */
  readonly keyType: string;
  readonly valueType: string;
  /** Default: the last part of the value type's name. */
  readonly tableName?: string;
  /** Names of the fields that belong to the key; for a scalar key one name, the key's own. */
  readonly keyFields?: readonly string[];
  readonly fields: Readonly<Record<string, FieldWord | FieldPart>>;
  /** Indexes; a name alone is an index on that field. */
  readonly indexes?: ReadonlyArray<string | IndexPart>;
}

export interface FieldPart {
  readonly type: FieldWord;
  readonly precision?: number;
  readonly scale?: number;
  /** Name of the column; default: the name of the field. */
  readonly alias?: string;
  readonly notNull?: boolean;
  /** Default of the column, written as a client writes the value. */
  readonly default?: string | number | boolean;
}

export interface IndexPart {
  readonly name?: string;
  readonly fields: ReadonlyArray<string | { readonly name: string; readonly descending?: boolean }>;
  readonly unique?: boolean;
}

/** An entry. A string, number or boolean is written as a client writes it; an object is a custom type. */
export interface SeedPart {
  readonly key: SeedValue;
  readonly keyType?: string;
  readonly value: SeedValue;
  readonly valueType?: string;
}

export type SeedValue = string | number | bigint | boolean | { readonly [member: string]: unknown };

/**
 * A custom type: its fields, or a TypeScript class. A class lists its fields in a static member `fields`. Without one,
 * the fields of a new instance are used, where a number is a double and a bigint is a long.
 */
export type ClassPart = Readonly<Record<string, FieldWord>> | ClassWithFields | (new () => object);

export interface ClassWithFields {
  new (...args: never[]): object;
  readonly fields: Readonly<Record<string, FieldWord>>;
}

/** Returns whether a scan includes the entry. */
export type ScanPredicate = (key: Value, value: Value) => boolean;
