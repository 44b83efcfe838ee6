import { expect, test } from 'bun:test';
import { childEnvironment, objectStoreEnvironment } from './child-environment.ts';

const ENVIRONMENT = {
  PATH: '/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
  BUN_JSC_forceRAMSize: '1',
  BUN_AUTH_TOKEN: 'secret',
  BUN_CONFIG_TOKEN: 'secret',
  SVC_NAME: 'abc',
  SVC_TELEMETRY_HEADERS: 'authorization=secret',
  AWS_SECRET_ACCESS_KEY: 'secret',
  AWS_REGION: 'here',
  DATABASE_URL: 'postgres://u:secret@h/',
  HTTPS_PROXY: 'http://u:secret@proxy',
};

const ALWAYS = ['PATH', 'LC_ALL', 'TZ', 'BUN_JSC_forceRAMSize'] as const;

test.each([
  ['nothing more', [], ALWAYS],
  ['a variable', ['AWS_REGION'], [...ALWAYS, 'AWS_REGION']],
  ['a beginning', ['AWS_*', 'SVC_NAME'], [...ALWAYS, 'SVC_NAME', 'AWS_SECRET_ACCESS_KEY', 'AWS_REGION']],
] as const)('passes what programs need and %s', (_, further, names) => {
  expect(Object.keys(childEnvironment(ENVIRONMENT, further))).toEqual([...names]);
});

test('a process that uses an object store gets its credentials and the proxies, and no other secret', () => {
  const passed = { AWS_PROFILE: 'a', HTTPS_PROXY: 'b', https_proxy: 'c', NO_PROXY: 'd' };
  expect(objectStoreEnvironment({ ...passed, OTHER_TOKEN: 'e' })).toEqual(passed);
});
