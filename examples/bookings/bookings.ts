import { type SvcClient, SvcError } from '@svc-grid/svc/client';

export interface Booking {
  readonly room: number;
  readonly day: string;
  readonly guest: string;
}

/** Returns the names of the rooms with enough seats that no one has booked for the day, the smallest first. */
export async function freeRooms(svc: SvcClient, day: string, seats: number): Promise<string[]> {
  const qry = `SELECT name FROM room
    WHERE seats >= ? AND id NOT IN (SELECT room FROM booking WHERE day = ?) ORDER BY seats`;
  const names: string[] = [];
  for await (const [name] of svc.query(qry, { args: [seats, day] })) names.push(String(name));
  return names;
}

/** Books a room. Returns false if it is taken. A booking that is sent again with its request id is made once. */
export async function book(svc: SvcClient, booking: Booking, requestId: string): Promise<boolean> {
  const { room, day, guest } = booking;
  const qry = 'INSERT INTO booking (room, day, guest) VALUES (?, ?, ?)';
  try {
    await svc.qryfldexe({ qry, args: [room, day, guest] }, { idempotencyKey: requestId });
    return true;
  } catch (error) {
    if (error instanceof SvcError && error.code === 'SQL_CONFLICT') return false;
    throw error;
  }
}

/** Gives a booking to another guest. Returns false if it is not the first guest's any more. */
export async function handOver(svc: SvcClient, { room, day, guest }: Booking, next: string): Promise<boolean> {
  const qry = 'UPDATE booking SET guest = ? WHERE room = ? AND day = ? AND guest = ?';
  for await (const [changedRows] of svc.query(qry, { args: [next, room, day, guest] })) return changedRows === 1;
  return false;
}

/** Yields a line for each change of a booking: first those of the last day, then new ones as they happen. */
export async function* board(svc: SvcClient): AsyncGenerator<string> {
  for await (const { operation, key, value } of svc.watch({ caches: ['bookings'], from: 'start' })) {
    const { ROOM: room, DAY: day } = (key ?? {}) as { ROOM?: number; DAY?: string };
    const { GUEST: guest } = (value ?? {}) as { GUEST?: string };
    if (operation === 'removed') yield `${day}, room ${room}: free`;
    else if (guest !== undefined) yield `${day}, room ${room}: ${guest}`;
  }
}
