/** Opens the engine in a thread that reads. */
import type { Clock } from '../../../base/clock.ts';
import type { Grid } from '../../../grid/grid.ts';
import { encodeRequest, type SentChanges } from '../writer/change-messages.ts';
import type { ChangeChannel, ChangeName } from '../writer/changes.ts';
import { EngineThread, type QueriesFactory, type ThreadSetup } from './engine-thread.ts';

/** The reader's end of the channel to the writer's thread. */
export interface ReaderEnd {
  call<N extends ChangeName>(name: N, request: SentChanges[N]['request']): Promise<SentChanges[N]['response']>;
  serve(name: 'releaseRegions', handler: (request: null) => null): void;
}

/** The methods that a reader serves for the writer. The writer serves {@link SentChanges}. */
export type ReaderMethods = { readonly releaseRegions: { readonly request: null; readonly response: null } };

/** Opens a grid in this thread whose writer runs in another thread. */
export function openEmbeddedReader(
  setup: ThreadSetup,
  channel: ReaderEnd,
  clock: Clock,
  queries?: QueriesFactory,
): Grid & { readonly thread: EngineThread } {
  const thread = new EngineThread(setup, clock);
  channel.serve('releaseRegions', () => {
    thread.readers.releaseTemporary();
    return null;
  });
  const changes: ChangeChannel = { submit: (name, request) => channel.call(name, encodeRequest(request)) };
  const grid = thread.grid(changes, queries, async () => thread.close());
  return { ...grid, thread };
}
