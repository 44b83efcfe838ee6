/** Serves `/mcp` next to the resources. The protocol's library is loaded with the first request. */
import type { Configuration } from '../configuration/configuration.ts';
import { PRODUCT_VERSION } from '../configuration/version.ts';
import type { CommandService, ResourceAddress, ResourceService } from '../service/request.ts';

const PATH = '/mcp';
/** The result for a separate path, recognized by identity. */
const ADDRESS: ResourceAddress = { resource: undefined, segments: [] };

/** Returns a service of resources that also serves `/mcp`, unless the configuration says otherwise. */
export function withMcp(
  resources: ResourceService,
  { http, serviceName, limits }: Pick<Configuration, 'http' | 'serviceName' | 'limits'>,
  service: CommandService,
): ResourceService {
  if (!http.mcp) return resources;
  const scheme = http.tls === undefined ? 'http' : 'https';
  return {
    ...resources,
    contains: (target) => target === PATH || target.startsWith(`${PATH}?`) || resources.contains(target),
    addressOf: (path) => (path === PATH ? ADDRESS : resources.addressOf(path)),
    methodsOf: (address) => (address === ADDRESS ? 'POST' : resources.methodsOf(address)),
    async execute(request) {
      if (request.address !== ADDRESS) return resources.execute(request);
      const { answerMcp } = await import('../mcp/http.ts');
      const reject = (error: Parameters<ResourceService['reject']>[1]) => resources.reject(request, error);
      const typesJson = http.json.types;
      return answerMcp({ service, serviceName, limits, typesJson, scheme, version: PRODUCT_VERSION, reject }, request);
    },
  };
}
