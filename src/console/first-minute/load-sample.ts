/** Stores the sample data set in the service. */
import { call, isNotSupported } from '../requests/request.ts';
import { execute } from '../requests/statement.ts';
import { upload } from '../requests/upload.ts';
import { BIKE_CACHE, RESERVATION_CACHE, RESERVATION_MS, SAMPLE_TABLES, sampleData, TRIP_CACHE } from './sample-data.ts';

async function importCsv(name: string, target: Readonly<Record<string, string>>, content: string): Promise<void> {
  const file = new File([content], `${name}.csv`);
  const { signal } = new AbortController();
  await upload('import', { ...target, onDuplicate: 'replace' }, file, 'text/csv', signal, () => {});
}

/** Switches on the feed of trips, where the engine records changes. */
async function recordTrips(): Promise<void> {
  try {
    await call('changefeed', { cacheName: TRIP_CACHE });
  } catch (problem) {
    if (!isNotSupported(problem)) throw problem;
  }
}

/** Creates the tables and caches and stores their data. Returns the cache to show first. Throws SvcError. */
export async function loadSample(onStep: (text: string) => void): Promise<string> {
  const data = sampleData();
  onStep('Creating tables and caches …');
  for (const qry of Object.values(SAMPLE_TABLES)) {
    await execute(qry.replace('CREATE TABLE', 'CREATE TABLE IF NOT EXISTS'));
  }
  await call('getorcreate', { cacheName: BIKE_CACHE });
  await call('getorcreate', { cacheName: RESERVATION_CACHE, ttlMs: RESERVATION_MS });
  await recordTrips();
  onStep('Storing rows and entries …');
  await importCsv('station', { table: 'station' }, data.station);
  await importCsv('trip', { table: 'trip' }, data.trip);
  await importCsv('bikes', { cacheName: BIKE_CACHE }, data.bikes);
  await importCsv('reservations', { cacheName: RESERVATION_CACHE }, data.reservations);
  return TRIP_CACHE;
}
