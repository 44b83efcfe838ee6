import { expect, test } from 'bun:test';
import { commandCases, failsWith, openTestService } from '../../../test/test-service.ts';

test('drain sets, clears and reports the flag', async () => {
  let draining = false;
  const readiness = {
    isReady: () => !draining,
    isDraining: () => draining,
    setDraining(on: boolean) {
      draining = on;
    },
  };
  const service = openTestService({ readiness });
  const steps: ReadonlyArray<readonly [request: string, draining: boolean]> = [
    ['drain action=status', false],
    ['drain action=start', true],
    ['drain action=START force=true', true],
    ['drain action=status', true],
    ['drain action=stop', false],
    ['drain action=stop', false],
  ];
  for (const [request, expected] of steps) {
    expect((await service.send(request)).response).toEqual({ draining: expected });
    expect((await service.send('probe kind=readiness')).http).toBe(expected ? 503 : 200);
  }
});

commandCases('drain', [
  [
    'requires an action',
    ['drain', failsWith('mandatory parameter in request: action')],
    ['drain action=', failsWith('action')],
  ],
  [
    'rejects an unknown action',
    ['drain action=x', failsWith('Unknown drain action: x (expected one of: start, stop, status)')],
  ],
]);
