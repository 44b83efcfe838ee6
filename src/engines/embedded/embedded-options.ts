/** What the embedded engine is given. */
import type { Clock } from '../../base/clock.ts';
import type { Limits } from '../../base/limits.ts';
import type { CacheDeclaration, RegionDeclaration, TemplateDeclaration } from '../../grid/declarations.ts';
import type { Queries } from '../../grid/grid.ts';
import type { ObjectSchema } from '../../values/value.ts';
import type { EngineThread } from './thread/engine-thread.ts';
import type { ChangeChannel } from './writer/changes.ts';

export type Log = (level: 'info' | 'warn' | 'error', text: string) => void;

/** Makes the queries of a thread from its part of the engine. */
export type QueriesFactory = (thread: EngineThread, changes: ChangeChannel) => Queries;

/** What every thread needs to know and can be sent to it. */
export interface EmbeddedSettings {
  readonly dataDir: string;
  /** The product's version: that of the cluster of one node. */
  readonly version: string;
  readonly nodeName?: string | null;
  /** Default `default`. */
  readonly defaultCache?: string;
  readonly regions?: readonly RegionDeclaration[];
  readonly templates?: readonly TemplateDeclaration[];
  /** Created at the start when there is none of the name. */
  readonly caches?: readonly CacheDeclaration[];
  /** Registered classes: custom types that are found before query entities. */
  readonly classes?: readonly ObjectSchema[];
  /** Default: DEFAULT_LIMITS. */
  readonly limits?: Limits;
}

export interface EmbeddedOptions extends EmbeddedSettings {
  readonly clock: Clock;
  readonly log?: Log;
  /** Threads that read, this one included. Default 1. */
  readonly threads?: number;
  readonly queries?: QueriesFactory;
}
