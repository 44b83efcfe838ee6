import { expect, test } from 'bun:test';
import { openTestService } from '../../../test/test-service.ts';
import { gridError } from '../../base/errors.ts';

const service = openTestService({
  service: {
    authentication: {
      confirmPassword: (caller) => caller,
      preAuthenticate: () => 'unknown',
      callerWithoutWaiting: () => undefined,
      authenticate(request) {
        if (request.params.get('svc.password') !== 'secret') throw gridError('CREDENTIALS_WRONG', 'ann');
        return { user: 'ann', token: 'TOKEN', subjectId: 'id-of-ann' };
      },
    },
  },
});

test('authenticate returns the new token and the id of the user', async () => {
  const answer = await service.send('authenticate svc.login=ann svc.password=secret');
  expect(answer).toMatchObject({
    successStatus: 0,
    response: true,
    sessionToken: 'TOKEN',
    securitySubjectId: 'id-of-ann',
  });
});

test('authenticate returns status 2 and no token for wrong credentials', async () => {
  const answer = await service.send('authenticate svc.login=ann svc.password=guess');
  expect(answer).toMatchObject({ successStatus: 2, response: null, sessionToken: null, securitySubjectId: null });
  expect(answer.error).toBe('The user name or password is incorrect [userName=ann]');
});
