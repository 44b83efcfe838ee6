/** The settings of the embedded engine. */
import type { Limits } from '../../../base/limits.ts';
import type { CacheDeclaration, RegionDeclaration, TemplateDeclaration } from '../../../grid/declarations.ts';
import type { ObjectSchema } from '../../../values/value.ts';
import type { FeedRetention } from '../storage/feed-tables.ts';

/** The settings that every thread receives. */
export interface EmbeddedSettings {
  readonly dataDir: string;
  /** The program's version, which the single-node cluster reports as its own. */
  readonly version: string;
  readonly nodeName?: string | null;
  /** Default `default`. */
  readonly defaultCache?: string;
  readonly regions?: readonly RegionDeclaration[];
  readonly templates?: readonly TemplateDeclaration[];
  /** Caches that startup creates if they do not exist. */
  readonly caches?: readonly CacheDeclaration[];
  /** Registered classes: custom types that take precedence over query entities. */
  readonly classes?: readonly ObjectSchema[];
  /** Free bytes of the disk below which changes that add data are rejected; 128 MiB or a twentieth if undefined. */
  readonly minFreeBytes?: number | undefined;
  /**
   * True if the data file's write-ahead log is kept until a continuous backup has shipped it: then only the
   * checkpointer writes it back (`src/processes/checkpoint/checkpointer.ts`).
   */
  readonly keepsLog?: boolean;
  /** Whether statements return the same as Ignite even if that loses data (docs/differences.md, row 57). */
  readonly asIgnite?: boolean;
  /** How long and how much of the change feed is kept. Default: a day, 1 GiB per file. */
  readonly changeFeed?: FeedRetention;
  /** Default: DEFAULT_LIMITS. */
  readonly limits?: Limits;
}
