/** The recorded cases of Ignite with the other numbers of HTTP threads, and with the service named `ignite`. */
import { runRecordedCases } from './recorded-cases.suite.ts';

runRecordedCases([
  { title: 'workers=2', name: 'svc', compatibility: 'contract', workers: 2 },
  { title: 'compatibility=reference, workers=1', name: 'svc', compatibility: 'reference', workers: 1 },
  { title: 'name=ignite', name: 'ignite', compatibility: 'contract', workers: 1 },
  { title: 'name=ignite, compatibility=reference', name: 'ignite', compatibility: 'reference', workers: 2 },
]);
