/** The recorded cases of Ignite in both compatibility modes. The second ring has more modes. */
import { runRecordedCases } from './recorded-cases.suite.ts';

runRecordedCases([
  { title: 'workers=1', name: 'svc', compatibility: 'contract', workers: 1 },
  { title: 'compatibility=reference, workers=2', name: 'svc', compatibility: 'reference', workers: 2 },
]);
