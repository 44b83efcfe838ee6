/** The settings of the embedded engine. */
import type { Limits } from '../../../base/limits.ts';
import type { CacheDeclaration, RegionDeclaration, TemplateDeclaration } from '../../../grid/declarations.ts';
import type { ObjectSchema } from '../../../values/value.ts';
import type { FeedRetention } from '../storage/feed-tables.ts';

/** The settings that every thread receives. */
export interface EmbeddedSettings {
  readonly dataDir: string;
  /** The version of the program, which the cluster of one node reports as its own. */
  readonly version: string;
  readonly nodeName?: string | null;
  /** Default `default`. */
  readonly defaultCache?: string;
  readonly regions?: readonly RegionDeclaration[];
  readonly templates?: readonly TemplateDeclaration[];
  /** Caches that the start creates if they do not exist. */
  readonly caches?: readonly CacheDeclaration[];
  /** Registered classes: custom types that are found before query entities. */
  readonly classes?: readonly ObjectSchema[];
  /** Free bytes of the disk below which changes that add data are rejected; undefined: 128 MiB or a twentieth. */
  readonly minFreeBytes?: number | undefined;
  /**
   * True if the write-ahead log of the data file is kept until a continuous backup has shipped it: then only the
   * checkpointer writes it back (`wiring/checkpointer.ts`).
   */
  readonly keepsLog?: boolean;
  /** True if statements return what Ignite does even where that loses data (docs/differences.md, row 57). */
  readonly asIgnite?: boolean;
  /** How long and how much of the change feed is kept. Default: a day, 1 GiB of each file. */
  readonly changeFeed?: FeedRetention;
  /** Default: DEFAULT_LIMITS. */
  readonly limits?: Limits;
}
