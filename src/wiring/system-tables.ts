/** Composes the tables of INFORMATION_SCHEMA and SYS. */
import type { RequestCompatibility } from '../base/compatibility.ts';
import type { VirtualTables } from '../engines/embedded/catalog/engine-catalog.ts';
import type { ServiceInfo } from '../engines/embedded/system-views/service-info.ts';
import { createSystemViews, systemViews } from '../engines/embedded/system-views/system-views.ts';

/** For HTTP threads: statements over these tables run in statement processes. */
export const systemTables: VirtualTables = systemViews;

/** For statement processes: with the service's information, listed as in Ignite if requests follow it. */
export function systemTablesOver(compatibility: RequestCompatibility): (service: () => ServiceInfo) => VirtualTables {
  // Row 56 of docs/differences.md.
  return (service) => createSystemViews(service, compatibility === 'reference');
}
