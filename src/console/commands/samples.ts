/** The same request as programs send it. */
import { writeJson } from '../elements/formats.ts';
import type { Parameters } from '../requests/request.ts';

export interface Sample {
  readonly language: string;
  readonly text: string;
}

/** Returns a request in several languages, without the session: programs have credentials of their own. */
export function samplesOf(endpoint: string, cmd: string, params: Parameters, needsLogin: boolean): readonly Sample[] {
  const json = writeJson(params, 0);
  const login = needsLogin ? ["user: 'USER'", "password: 'PASSWORD'"] : [];
  const client = [`url: '${endpoint}'`, ...login].join(', ');
  const curlLogin = needsLogin ? '-u USER:PASSWORD ' : '';
  const python = needsLogin
    ? "headers = {'Content-Type': 'application/json', 'Authorization': 'Basic ' + b64encode(b'USER:PASSWORD').decode()}"
    : "headers = {'Content-Type': 'application/json'}";
  return [
    {
      language: 'curl',
      text: `curl ${curlLogin}-H 'Content-Type: application/json' \\\n  -d '${json.replaceAll("'", "'\\''")}' '${endpoint}/${cmd}'`,
    },
    {
      language: 'TypeScript',
      text:
        `import { SvcClient } from '@svc-grid/svc/client';\n\nconst client = new SvcClient({ ${client} });\n` +
        `console.log(await client.${cmd}(${json}));`,
    },
    {
      language: 'Python',
      text:
        `import json\nimport urllib.request\n${needsLogin ? 'from base64 import b64encode\n' : ''}\n${python}\n` +
        `body = json.dumps(json.loads(${JSON.stringify(json)})).encode()\n` +
        `request = urllib.request.Request('${endpoint}/${cmd}', body, headers)\n` +
        'print(json.load(urllib.request.urlopen(request))["response"])',
    },
  ];
}
