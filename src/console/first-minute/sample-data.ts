/** A small invented data set: a month of a bicycle rental in a city. */

export const SAMPLE_TABLES = {
  station: `CREATE TABLE station (
  id INTEGER PRIMARY KEY,
  name VARCHAR NOT NULL,
  district VARCHAR NOT NULL,
  docks INTEGER NOT NULL
)`,
  trip: `CREATE TABLE trip (
  id INTEGER PRIMARY KEY,
  started TIMESTAMP NOT NULL,
  station_id INTEGER NOT NULL,
  minutes INTEGER NOT NULL,
  kilometres DECIMAL(5, 2) NOT NULL,
  is_member BOOLEAN NOT NULL
)`,
} as const;

/** Where the changes of trips can be followed. */
export const TRIP_CACHE = 'SQL_PUBLIC_TRIP';
/** A cache of plain entries: the state of each bicycle. */
export const BIKE_CACHE = 'bikes';
/** A cache whose entries expire: reserved bicycles. */
export const RESERVATION_CACHE = 'reservations';
export const RESERVATION_MS = 1_800_000;

const STATIONS: ReadonlyArray<readonly [name: string, district: string, docks: number]> = [
  ['Central Station', 'Centre', 40],
  ['Town Hall', 'Centre', 24],
  ['Market Square', 'Centre', 28],
  ['University', 'North', 36],
  ['Library', 'North', 18],
  ['Botanical Garden', 'North', 16],
  ['Harbour', 'South', 30],
  ['Fish Market', 'South', 20],
  ['Old Mill', 'East', 14],
  ['Stadium', 'East', 44],
  ['Hospital', 'West', 22],
  ['Museum', 'West', 20],
];
const TRIPS = 600;
const DAYS = 30;
const BIKES = 40;
const STATES = ['free', 'free', 'free', 'rented', 'rented', 'in repair'] as const;

/** Returns numbers from 0 to 1 that look random, and are the same each time. */
function numbers(): () => number {
  let state = 20_260_601;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

function csv(rows: ReadonlyArray<ReadonlyArray<string | number | boolean>>): string {
  return rows.map((row) => `${row.join(',')}\n`).join('');
}

/** Returns the data as CSV, by table and cache. */
export function sampleData(): Readonly<Record<'station' | 'trip' | 'bikes' | 'reservations', string>> {
  const next = numbers();
  const stations = STATIONS.map(([name, district, docks], index) => [index + 1, name, district, docks] as const);
  const starts = Array.from({ length: TRIPS }, () => {
    // More in the afternoon and on warm days, so plots have a shape.
    const day = Math.floor(DAYS * (1 - next() * next()));
    const minute = Math.floor(1_440 * (0.25 + 0.7 * Math.sqrt(next())));
    return Date.UTC(2026, 5, 1 + Math.min(day, DAYS - 1), 0, Math.min(minute, 1_439));
  }).sort((a, b) => a - b);
  const trips = starts.map((ms, index) => {
    const minutes = 4 + Math.floor(50 * next() * next());
    const started = new Date(ms).toISOString().replace('T', ' ').slice(0, 19);
    const station = 1 + Math.floor(STATIONS.length * next() ** 1.5);
    return [index + 1, started, station, minutes, (minutes * (0.15 + next() / 8)).toFixed(2), next() < 0.6] as const;
  });
  const bikes = Array.from(
    { length: BIKES },
    (_, index) => [`bike-${index + 1}`, STATES[Math.floor(STATES.length * next())] ?? 'free'] as const,
  );
  const reservations = [7, 12, 25, 31].map((bike, at) => [`bike-${bike}`, `customer-${101 + at * 7}`] as const);
  return {
    station: `id,name,district,docks\n${csv(stations)}`,
    trip: `id,started,station_id,minutes,kilometres,is_member\n${csv(trips)}`,
    bikes: `key,value\n${csv(bikes)}`,
    reservations: `key,value\n${csv(reservations)}`,
  };
}
