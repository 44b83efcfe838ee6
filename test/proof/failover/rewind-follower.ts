/** Follows the objects of a folder to their end, like a service that was the primary before. */
import { systemClock } from '../../../src/base/clock.ts';
import type { Loss } from '../../../src/base/failover-status.ts';
import { Follower } from '../../../src/engines/embedded/backup/continuous/failover/follower.ts';
import { FolderDestination } from '../../../src/engines/embedded/backup/continuous/folder-destination.ts';

export interface Followed {
  readonly losses: readonly Loss[];
  /** How often everything was copied again. */
  readonly copies: number;
  readonly position: string | null;
}

export async function followAll(folder: string, destination: string): Promise<Followed> {
  const losses: Loss[] = [];
  const follower = new Follower({
    ...{ folder, database: 'one', program: '1', clock: systemClock, log: () => {} },
    destination: new FolderDestination(destination),
    leases: { read: async () => undefined },
    onLost: (loss) => losses.push(loss),
  });
  const position = await follower.catchUp();
  const { copies } = follower.counts;
  follower.close();
  return { losses, copies, position };
}
