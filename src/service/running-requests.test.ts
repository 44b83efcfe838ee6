import { describe, expect, test } from 'bun:test';
import { ManualClock } from '../../test/fixtures/base/manual-clock.ts';
import { type GridError, gridError } from '../base/errors.ts';
import { failedOutcome } from './request.ts';
import { type RunningRequest, RunningRequests } from './running-requests.ts';

class Running implements RunningRequest {
  ended: GridError | undefined;
  checks = 0;
  failure: GridError | undefined;
  isAuthenticated = true;

  readonly usesSession: boolean;

  constructor(usesSession = false) {
    this.usesSession = usesSession;
  }

  reauthorize(): void {
    this.checks++;
    if (this.failure !== undefined) throw this.failure;
  }

  end(failure: GridError): void {
    this.ended = failure;
  }
}

function started(trustMs = Number.POSITIVE_INFINITY) {
  const clock = new ManualClock();
  const state = { epoch: 0 };
  const requests = new RunningRequests({ clock, securityEpoch: () => state.epoch, trustMs });
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await Promise.resolve();
    await Promise.resolve();
  };
  return { state, requests, pass };
}

describe('running requests', () => {
  test('are checked once after each change of rights', async () => {
    const { state, requests, pass } = started();
    const request = new Running();
    requests.add(request);
    await pass(1_000);
    expect(request.checks).toBe(0);
    for (const checks of [1, 2]) {
      state.epoch++;
      await pass(1_000);
      expect(request.checks).toBe(checks);
    }
    requests.untilSent(request, failedOutcome(gridError('INACTIVE'), false));
    state.epoch++;
    await pass(1_000);
    expect(request.checks).toBe(2);
  });

  test('are checked once they are authenticated if rights change before', async () => {
    const { state, requests, pass } = started();
    const request = new Running();
    request.isAuthenticated = false;
    requests.add(request);
    state.epoch++;
    await pass(1_000);
    expect(request.checks).toBe(0);
    request.isAuthenticated = true;
    await pass(1_000);
    expect(request.checks).toBe(1);
  });

  test('are checked regularly where others may change rights, and sessions always, to keep them', async () => {
    const { requests, pass } = started(1_000);
    const [request, ofSession] = [new Running(), new Running(true)];
    requests.add(request);
    requests.add(ofSession);
    for (let at = 0; at < 8; at++) await pass(250);
    expect(request.checks).toBe(2);
    expect(ofSession.checks).toBe(8);
  });

  const failures: ReadonlyArray<readonly [GridError, boolean]> = [
    [gridError('TOKEN_UNKNOWN', 'x'), true],
    [gridError('CREDENTIALS_WRONG', 'ann'), true],
    [gridError('API_KEY_UNKNOWN', 'k'), true],
    [gridError('PERMISSION_DENIED', 'ann', 'read'), true],
    [gridError('JWT_INVALID', 'it has expired'), false],
    [gridError('TOO_MANY_ATTEMPTS', 1), false],
    [gridError('INACTIVE'), false],
  ];
  test.each(failures)('%p ends them: %p', async (failure, ends) => {
    const { state, requests, pass } = started();
    const request = new Running();
    requests.add(request);
    request.failure = failure;
    state.epoch++;
    await pass(250);
    expect(request.ended).toBe(ends ? failure : undefined);
  });

  test('are checked again when the users could not be read', async () => {
    const { state, requests, pass } = started();
    const request = new Running();
    requests.add(request);
    request.failure = gridError('INACTIVE');
    state.epoch++;
    await pass(250);
    request.failure = gridError('TOKEN_UNKNOWN', 'x');
    await pass(1_000);
    expect(request.ended?.code).toBe('TOKEN_UNKNOWN');
  });
});
