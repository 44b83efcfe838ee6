import { expect, test } from 'bun:test';
import { childEnvironment } from './child-environment.ts';

const ENVIRONMENT = {
  PATH: '/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
  SVC_NAME: 'abc',
  SVC_TELEMETRY_HEADERS: 'authorization=secret',
  AWS_SECRET_ACCESS_KEY: 'secret',
  AWS_REGION: 'here',
  DATABASE_URL: 'postgres://u:secret@h/',
  HTTPS_PROXY: 'http://u:secret@proxy',
};

test.each([
  ['nothing more', [], ['PATH', 'LC_ALL', 'TZ']],
  ['a variable', ['AWS_REGION'], ['PATH', 'LC_ALL', 'TZ', 'AWS_REGION']],
  ['a beginning', ['AWS_*', 'SVC_NAME'], ['PATH', 'LC_ALL', 'TZ', 'SVC_NAME', 'AWS_SECRET_ACCESS_KEY', 'AWS_REGION']],
] as const)('passes what programs need and %s', (_, further, names) => {
  expect(Object.keys(childEnvironment(ENVIRONMENT, further))).toEqual([...names]);
});
