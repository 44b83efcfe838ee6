/** Tests connections to a fake node, which implements the framing of the protocol. */
import { afterEach, describe, expect, test } from 'bun:test';
import type { Socket } from 'node:net';
import {
  closeNodes,
  frame,
  lastServer,
  listen,
  responseTo,
  settings,
  welcome,
} from '../../../../test/fixtures/cluster/fake-node.ts';
import { type Clock, systemClock } from '../../../base/clock.ts';
import { ByteWriter } from '../protocol/byte-writer.ts';
import { type Connection, openConnection, type PendingCall } from './connection.ts';
import type { ConnectionSettings } from './sockets.ts';

afterEach(closeNodes);

function failure(version: readonly number[], message: string, code: number): Buffer {
  const writer = new ByteWriter();
  writer.bool(false);
  for (const part of version) writer.i16(part);
  writer.u8(9);
  writer.utf8(message);
  writer.i32(code);
  return frame(writer.view());
}

function call(connection: Connection, operation: number, deadlineMs = Number.POSITIVE_INFINITY): Promise<string> {
  return new Promise((resolve) => {
    const pending: PendingCall = {
      deadlineMs,
      accept: (reader) => resolve(`response ${reader.raw(reader.remaining).toString('hex')}`),
      reject: (status, message) => resolve(`rejected ${status} ${message}`),
      unreadable: (reason) => resolve(`unreadable: ${reason}`),
      lost: (reason, sent) => resolve(`lost ${sent ? 'sent' : 'unsent'}: ${reason}`),
    };
    connection.send(operation, () => {}, pending);
  });
}

describe('the handshake', () => {
  test('offers version 1.7 with features and returns the node', async () => {
    let seen = '';
    const endpoint = await listen((message, _number, socket) => {
      seen = message.toString('hex');
      socket.write(welcome());
    });
    const connection = await openConnection(endpoint, settings());
    expect(seen).toStartWith('0101000700000002');
    expect(connection.nodeId).toBe('123e4567-e89b-12d3-a456-426614174000');
    expect([connection.features.has(11), connection.features.has(18)]).toEqual([true, false]);
    connection.close('end');
  });

  test('sends user and password after the features', async () => {
    let seen = '';
    const endpoint = await listen((message, _number, socket) => {
      seen = message.toString('hex');
      socket.write(welcome());
    });
    const connection = await openConnection(endpoint, settings({ credentials: { user: 'u', password: 'p' } }));
    expect(seen).toEndWith('65090100000075090100000070');
    connection.close('end');
  });

  test('names both versions of the protocol if the node speaks another one', async () => {
    const endpoint = await listen((_message, _number, socket) =>
      socket.write(failure([1, 6, 0], 'Unsupported version.', 1)),
    );
    expect(openConnection(endpoint, settings())).rejects.toThrow(
      'Unsupported version. The node speaks protocol 1.6.0, and svc 1.7.0.',
    );
  });

  const failures: ReadonlyArray<readonly [string, readonly number[], number, string]> = [
    ['a node that is too old', [1, 3, 0], 1, 'CLUSTER_UNREACHABLE'],
    ['a wrong password', [0, 0, 0], 2000, 'CREDENTIALS_WRONG'],
    ['a node in recovery', [1, 7, 0], 11, 'CLUSTER_UNREACHABLE'],
  ];
  test.each(failures)('%s is rejected', async (_title, version, status, code) => {
    const endpoint = await listen((_message, _number, socket) => socket.write(failure(version, 'No.', status)));
    expect(openConnection(endpoint, settings())).rejects.toMatchObject({ code });
  });

  test('a server that is silent, disconnects or uses another protocol is unreachable', async () => {
    const silent = await listen(() => {});
    expect(openConnection(silent, settings({ connectTimeoutMs: 50 }))).rejects.toMatchObject({
      code: 'CLUSTER_UNREACHABLE',
    });
    const closing = await listen((_message, _number, socket) => socket.destroy());
    expect(openConnection(closing, settings())).rejects.toMatchObject({ code: 'CLUSTER_UNREACHABLE' });
    const web = await listen((_message, _number, socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'));
    expect(openConnection(web, settings())).rejects.toMatchObject({ code: 'CLUSTER_UNREACHABLE' });
    expect(openConnection({ host: '127.0.0.1', port: 1 }, settings())).rejects.toMatchObject({
      code: 'CLUSTER_UNREACHABLE',
    });
  });
});

/** Opens a connection to a node that accepts the handshake and passes all further messages to `respond`. */
async function connected(
  response: (message: Buffer, socket: Socket) => void,
  overrides: Partial<ConnectionSettings> = {},
): Promise<Connection> {
  const endpoint = await listen((message, number, socket) => {
    if (number === 0) socket.write(welcome());
    else response(message, socket);
  });
  return openConnection(endpoint, settings(overrides));
}

describe('requests', () => {
  test('are matched with responses that arrive in another order and in fragments', async () => {
    const waiting: Buffer[] = [];
    const connection = await connected((message, socket) => {
      waiting.push(Buffer.from(message));
      if (waiting.length < 3) return;
      const responses = waiting.reverse().map((each) => responseTo(each, 0, each.subarray(0, 2)));
      const bytes = Buffer.concat(responses);
      socket.write(bytes.subarray(0, 17));
      setTimeout(() => socket.write(bytes.subarray(17)), 20);
    });
    const responses = await Promise.all([1000, 1001, 1002].map((operation) => call(connection, operation)));
    expect(responses).toEqual(['response e803', 'response e903', 'response ea03']);
    connection.close('end');
  });

  test('of one tick are sent in one write', async () => {
    const chunks: number[] = [];
    const endpoint = await listen((message, number, socket) => {
      if (number === 0) socket.write(welcome());
      else socket.write(responseTo(message, 0, Buffer.alloc(0)));
    });
    lastServer()?.on('connection', (socket: Socket) => socket.on('data', (chunk) => chunks.push(chunk.length)));
    const connection = await openConnection(endpoint, settings());
    await Promise.all(Array.from({ length: 20 }, () => call(connection, 1000)));
    expect(chunks.slice(1)).toEqual([20 * 14]);
    connection.close('end');
  });

  test('of several kilobytes are sent before the tick ends', async () => {
    let received = 0;
    const endpoint = await listen((message, number, socket) => {
      if (number === 0) socket.write(welcome());
      else {
        received++;
        socket.write(responseTo(message, 0, Buffer.alloc(0)));
      }
    });
    // The end of a tick never comes.
    const connection = await openConnection(endpoint, settings({ clock: { ...systemClock, endOfTick: () => {} } }));
    const answered: string[] = [];
    for (let number = 0; number < 18; number++) {
      connection.send(1000, (writer) => writer.raw(Buffer.alloc(1_000)), {
        deadlineMs: Number.POSITIVE_INFINITY,
        accept: () => answered.push('answered'),
        reject: () => answered.push('rejected'),
        unreadable: () => answered.push('unreadable'),
        lost: (_reason, sent) => answered.push(sent ? 'lost' : 'unsent'),
      });
    }
    while (answered.length < 14) await Bun.sleep(1);
    // 5 requests after the first 4 KiB, 9 after the next 8 KiB.
    expect(received).toBe(14);
    connection.close('end');
    expect(answered).toEqual([...Array(14).fill('answered'), ...Array(4).fill('unsent')]);
  });

  test('that fail report status and message; a flag reports that partitions moved', async () => {
    const body = new ByteWriter();
    body.raw(Buffer.alloc(12));
    body.i32(1000);
    body.u8(9);
    body.utf8('no such cache');
    const connection = await connected((message, socket) => socket.write(responseTo(message, 3, body.view())));
    let changes = 0;
    connection.onTopologyChange = () => changes++;
    expect(await call(connection, 1000)).toBe('rejected 1000 no such cache');
    expect(changes).toBe(1);
    connection.close('end');
  });

  test('in flight are lost with the connection, and later ones are not sent', async () => {
    const connection = await connected((_message, socket) => socket.destroy());
    expect(await call(connection, 1000)).toStartWith('lost sent');
    expect(connection.isOpen).toBe(false);
    expect(await call(connection, 1000)).toStartWith('lost unsent');
  });

  test('that are not flushed when the connection closes count as unsent', async () => {
    const connection = await connected(() => {});
    const outcome = call(connection, 1000);
    connection.close('closed by us');
    expect(await outcome).toBe('lost unsent: closed by us');
  });

  test('past their deadline are lost, and the connection remains open', async () => {
    const connection = await connected(() => {});
    expect(await call(connection, 1000, systemClock.monotonicMs() + 10)).toBe('lost sent: no response in time');
    expect(connection.isOpen).toBe(true);
    connection.close('end');
  });

  test('that cannot be written are not sent', async () => {
    const connection = await connected((message, socket) =>
      socket.write(responseTo(message, 0, message.subarray(0, 2))),
    );
    const ignored: PendingCall = { deadlineMs: 0, accept() {}, reject() {}, unreadable() {}, lost() {} };
    const failing = (writer: ByteWriter): void => {
      writer.i32(5);
      throw new RangeError('cannot be written');
    };
    expect(() => connection.send(1, failing, ignored)).toThrow('cannot be written');
    expect(await call(connection, 1001)).toBe('response e903');
    connection.close('end');
  });

  test('a malformed message closes the connection', async () => {
    const connection = await connected((_message, socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'));
    expect(await call(connection, 1000)).toStartWith('lost sent: the node sent a malformed message');
  });
});

describe('unreadable responses', () => {
  test('an oversized response fails only its request', async () => {
    const connection = await connected((message, socket) => {
      const operation = message.readInt16LE(0);
      socket.write(responseTo(message, 0, Buffer.alloc(operation === 1000 ? 3_000_000 : 2)));
    });
    const responses = await Promise.all([1000, 1001, 1000].map((operation) => call(connection, operation)));
    const tooLarge = 'unreadable: it has 3000010 bytes, at most 1000000 are read';
    expect(responses).toEqual([tooLarge, 'response 0000', tooLarge]);
    expect(connection.isOpen).toBe(true);
    connection.close('end');
  });

  test('an oversized message that matches no request closes the connection', async () => {
    const connection = await connected((_message, socket) => {
      const garbage = Buffer.alloc(64, 0x41);
      socket.write(garbage);
    });
    expect(await call(connection, 1000)).toStartWith('lost sent: the node sent a malformed message');
  });

  test('an error without a message fails its request', async () => {
    const connection = await connected((message, socket) =>
      socket.write(responseTo(message, 1, Buffer.from([1, 0, 0]))),
    );
    expect(await call(connection, 1000)).toBe('unreadable: 4 bytes do not fit into 3 bytes');
    expect(connection.isOpen).toBe(true);
    connection.close('end');
  });

  test('a message without an id closes the connection', async () => {
    const connection = await connected((_message, socket) => socket.write(frame(Buffer.alloc(3))));
    expect(await call(connection, 1000)).toStartWith('lost sent');
  });
});

describe('a silent node', () => {
  test('receives heartbeats and is disconnected when it does not respond', async () => {
    let heartbeats = 0;
    const endpoint = await listen((message, number, socket) => {
      if (number === 0) socket.write(welcome());
      else if (message.readInt16LE(0) === 1 && ++heartbeats < 3) socket.write(responseTo(message, 0, Buffer.alloc(0)));
    });
    const fastClock: Clock = { ...systemClock, every: (_interval, action) => systemClock.every(10, action) };
    const connection = await openConnection(endpoint, settings({ clock: fastClock, heartbeatIntervalMs: 60 }));
    const reason = await new Promise<string>((resolve) => {
      connection.onClose = resolve;
    });
    expect(reason).toBe('the node is silent');
    expect(heartbeats).toBe(3);
  });
});

describe('a message that does not end', () => {
  const LENGTH = 800_000;
  const CHUNK_BYTES = 200_000;

  /** Opens a connection whose time a test sets, to a node without heartbeats that announces a long message. */
  async function announced() {
    let nowMs = 0;
    let calls = 0;
    let sweep = () => {};
    const clock: Clock = {
      ...systemClock,
      monotonicMs: () => {
        calls += 1;
        return nowMs;
      },
      every: (_interval, action) => {
        sweep = action;
        return { cancel: () => {} };
      },
    };
    const arrived = Promise.withResolvers<{ readonly socket: Socket; readonly message: Buffer }>();
    const endpoint = await listen((message, number, socket) => {
      if (number === 0) socket.write(welcome('000000'));
      else arrived.resolve({ socket, message });
    });
    const connection = await openConnection(endpoint, settings({ clock, heartbeatIntervalMs: 1_000 }));
    const answer = call(connection, 1000);
    const { socket, message } = await arrived.promise;
    const response = responseTo(message, 0, Buffer.alloc(LENGTH));
    let sent = 0;
    /** Lets the next bytes of the response arrive. The connection asks for the time when it receives some. */
    const send = async (bytes: number) => {
      const before = calls;
      socket.write(response.subarray(sent, sent + bytes));
      sent += bytes;
      while (calls === before) await Bun.sleep(1);
    };
    const pass = (ms: number) => {
      for (const endMs = nowMs + ms; nowMs < endMs && connection.isOpen; nowMs += 250) sweep();
    };
    return { connection, answer, send, pass };
  }

  test('ends the connection although bytes arrive', async () => {
    const { connection, answer, send, pass } = await announced();
    for (let second = 0; second < 6; second++) {
      await send(10);
      expect(connection.isOpen).toBe(true);
      pass(1_000);
    }
    expect(await answer).toBe('lost sent: a message of the node does not end');
    expect(connection.isOpen).toBe(false);
  });

  test('is a long one where enough bytes arrive', async () => {
    const { connection, answer, send, pass } = await announced();
    for (let sentBytes = 0; sentBytes <= LENGTH; sentBytes += CHUNK_BYTES) {
      await send(CHUNK_BYTES);
      pass(4_500);
    }
    expect(await answer).toStartWith('response 00');
    expect(connection.isOpen).toBe(true);
    connection.close('end');
  });
});

describe('notifications', () => {
  test('reach their listener even if they arrive before it is registered', async () => {
    const notification = (resource: number): Buffer => {
      const body = Buffer.alloc(13);
      body.writeBigInt64LE(BigInt(resource), 0);
      body.writeInt16LE(4, 8);
      body.writeInt16LE(6001, 10);
      body.writeUInt8(0x65, 12);
      return frame(body);
    };
    const endpoint = await listen((message, number, socket) => {
      if (number === 0) socket.write(welcome());
      else socket.write(Buffer.concat([notification(7), responseTo(message, 0, Buffer.alloc(0)), notification(8)]));
    });
    const connection = await openConnection(endpoint, settings());
    const afterwards = new Promise((resolve) => connection.listen(8, resolve));
    await call(connection, 6000);
    const early = await new Promise((resolve) => connection.listen(7, resolve));
    expect(early).toHaveProperty('reader');
    expect(await afterwards).toHaveProperty('reader');
    const never = new Promise((resolve) => connection.listen(9, resolve));
    connection.close('the node left');
    expect(await never).toEqual({ status: -1, message: 'the node left' });
  });
});
