/** The descriptions of the system views. */
import type { SqlType } from '../../../sql/types/sql-types.ts';

export interface ViewColumnDescription {
  readonly name: string;
  readonly type: SqlType;
  /** Java type that Ignite lists in SYS.VIEW_COLUMNS. */
  readonly javaType: string;
  readonly nullable: boolean;
}

/** The declaration of a system view, without its rows. */
export interface ViewDescription {
  readonly schema: 'SYS' | 'INFORMATION_SCHEMA';
  readonly name: string;
  /** One line for SYS.VIEWS; empty in INFORMATION_SCHEMA. */
  readonly description: string;
  readonly columns: readonly ViewColumnDescription[];
}
