import { expect, test } from 'bun:test';
import { commandCases, failsWith, openTestService } from '../../../test/test-service.ts';

commandCases('probe', [
  ['reports that the service has started', ['probe', 'grid has started'], ['probe kind=', 'grid has started']],
  ['reports the same as liveness, in any letter case', ['probe kind=Liveness', 'grid has started']],
  ['reports readiness', ['probe kind=readiness', 'ready'], ['probe kind=STARTUP', 'ready']],
  [
    'rejects an unknown kind',
    ['probe kind=x', failsWith('Unknown probe kind: x (expected one of: liveness, readiness, startup)')],
  ],
]);

test('probe answers with HTTP 503 and no reason while the service is not ready', async () => {
  const readiness = { isReady: () => Promise.resolve(false), isDraining: () => true, setDraining() {} };
  const service = openTestService({ readiness });
  const { http, error, successStatus } = await service.send('probe kind=readiness');
  expect([http, error, successStatus]).toEqual([503, 'grid is not ready', 1]);
  expect((await service.send('probe')).http).toBe(200);
});
