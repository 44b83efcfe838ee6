import { commandCases } from '../../../test/test-service.ts';
import type { ConfiguredOption } from '../context.ts';

const PORT: ConfiguredOption = {
  path: 'http.port',
  value: 8080,
  source: '--http-port',
  help: 'Port of the service.',
  default: 'none',
  environment: 'SVC_HTTP_PORT',
  flag: '--http-port',
};

commandCases('config', [['returns the options with their sources', ['config', [PORT]]]], {
  configuration: { options: () => [PORT] },
});
