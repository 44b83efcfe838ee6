import { expect, test } from 'bun:test';
import { loadConfiguration } from '../configuration/load.ts';
import { settingsOf } from './service-info.ts';

test('settings contain no secrets, nor parameters of URLs', async () => {
  const loaded = await loadConfiguration({
    argv: [],
    environment: {
      SVC_AUTHENTICATION: 'true',
      SVC_ADMIN_PASSWORD: 'hidden-1',
      SVC_JWT_KEYS: 'https://login.example/keys?token=hidden-2',
      SVC_JWT_ISSUER: 'i',
      SVC_JWT_AUDIENCE: 'a',
    },
    cwd: import.meta.dir,
    installationFolder: import.meta.dir,
  });
  if (loaded.kind !== 'run') throw new Error('the configuration is not loaded');
  const settings = settingsOf(loaded.configuration);
  expect(settings['jwt.keys']).toBe('https://login.example/keys?***');
  expect(JSON.stringify(settings)).not.toContain('hidden');
});
