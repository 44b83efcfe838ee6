import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, beforeEach, test } from 'node:test';
import { startTestService, type TestService } from '@svc-grid/svc/testing';
import { board, book, freeRooms, handOver } from './bookings.ts';

let service: TestService;
before(async () => {
  const sql = readFileSync(new URL('schema.sql', import.meta.url), 'utf8');
  const csv = 'id,name,seats\n1,North,4\n2,South,8\n';
  service = await startTestService({ fixtures: [{ sql }, { table: 'room', csv }] });
});
beforeEach(() => service.reset());
after(() => service.stop());

const day = '2026-03-02';

test('of many guests, one gets the room', async () => {
  const guests = ['Ann', 'Ben', 'Cleo', 'Dan'];
  const answers = await Promise.all(guests.map((guest) => book(service.client, { room: 1, day, guest }, guest)));
  assert.equal(answers.filter((isBooked) => isBooked).length, 1);
  assert.deepEqual(await freeRooms(service.client, day, 1), ['South']);
});

test('a booking that is sent twice is made once, and both answers say so', async () => {
  const booking = { room: 1, day, guest: 'Eve' };
  assert.equal(await book(service.client, booking, 'request-1'), true);
  assert.equal(await book(service.client, booking, 'request-1'), true);
  assert.equal(await book(service.client, booking, 'request-2'), false);
});

test('only the guest of a booking can hand it over', async () => {
  await book(service.client, { room: 2, day, guest: 'Fay' }, 'request-3');
  assert.equal(await handOver(service.client, { room: 2, day, guest: 'Gus' }, 'Hal'), false);
  assert.equal(await handOver(service.client, { room: 2, day, guest: 'Fay' }, 'Hal'), true);
});

test('the board shows a booking', async () => {
  await book(service.client, { room: 2, day, guest: 'Ida' }, 'request-4');
  for await (const line of board(service.client)) if (line === `${day}, room 2: Ida`) return;
});
