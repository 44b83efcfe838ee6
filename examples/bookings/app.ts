import { randomUUID } from 'node:crypto';
import { SvcClient } from '@svc-grid/svc/client';
import { board, book, freeRooms, handOver } from './bookings.ts';

const svc = new SvcClient({ url: 'http://localhost:8080/svc' });
const [action, ...words] = process.argv.slice(2);

if (action === 'free') {
  const [day = '', seats = '1'] = words;
  console.log((await freeRooms(svc, day, Number(seats))).join(', '));
} else if (action === 'book') {
  const [room, day = '', guest = '', requestId = randomUUID()] = words;
  const isBooked = await book(svc, { room: Number(room), day, guest }, requestId);
  console.log(isBooked ? `booked for ${guest}` : 'taken');
} else if (action === 'hand-over') {
  const [room, day = '', guest = '', next = ''] = words;
  const isDone = await handOver(svc, { room: Number(room), day, guest }, next);
  console.log(isDone ? `booked for ${next}` : `not ${guest}'s booking`);
} else if (action === 'board') {
  for await (const line of board(svc)) console.log(line);
} else {
  console.log('app.ts free DAY [SEATS] | book ROOM DAY GUEST | hand-over ROOM DAY GUEST NEXT | board');
}
