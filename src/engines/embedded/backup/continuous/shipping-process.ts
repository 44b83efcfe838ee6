import { errorText, gridError } from '../../../../base/errors.ts';
import { ProcessPort } from '../../../../base/process-port.ts';
import { RpcChannel } from '../../../../base/rpc-channel.ts';
import { checkBackup } from '../check-backup.ts';
import { reportAlive } from '../child-process.ts';
import { StandbyProcess } from './failover/standby-process.ts';
import type { DestinationContext } from './open-destination.ts';
import { checkRestore } from './restore-check.ts';
import { listRestorable } from './restore-continuous.ts';
import { ShippingProcess } from './shipping-loop.ts';
import type { ShippingMethods, ShippingReports } from './shipping-messages.ts';

/** Serves the parent process until it disconnects. */
export function runShippingProcess(context: DestinationContext): void {
  const service = new ProcessPort((message) => void process.send?.(message));
  process.on('message', service.receive);
  const channel = new RpcChannel<ShippingReports, ShippingMethods>(service, context.clock);
  reportAlive(context.clock);
  const shipping = new ShippingProcess(context, channel);
  channel.serve('ship', (request) => {
    void shipping.run(request);
    return null;
  });
  channel.serve('act', (action) => shipping.act(action));
  channel.serve('counts', (area) => {
    shipping.countIn(area);
    return null;
  });
  channel.serve('wake', () => {
    shipping.wake();
    return null;
  });
  const standby = new StandbyProcess(context, channel);
  channel.serve('follow', (request) => {
    void standby.follow(request);
    return null;
  });
  channel.serve('catchUp', (request) => standby.catchUp(request));
  channel.serve('check', (request) => checkRestore(request, context));
  channel.serve('checkBackup', (request) => checkBackup(request, context));
  channel.serve('list', async (url) => {
    try {
      return await listRestorable(url, context);
    } catch (error) {
      throw gridError('BACKUP_FAILED', errorText(error));
    }
  });
  // An exit would close the files: the last one to do so writes the log back.
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  // The parent ends this process, after the last object.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => {});
}
