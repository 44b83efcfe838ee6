/** The same request as programs send it. */
import { writeJson } from '../elements/formats.ts';
import type { SentRequest } from '../requests/sent-requests.ts';

export interface Sample {
  readonly language: string;
  readonly text: string;
}

/** Returns a request in several languages, without the session: programs have credentials of their own. */
export function samplesOf(endpoint: string, request: SentRequest, needsLogin: boolean): readonly Sample[] {
  return request.file === undefined
    ? commandSamples(endpoint, request, needsLogin)
    : fileSamples(endpoint, request, request.file, needsLogin);
}

const CURL_LOGIN = '-u USER:PASSWORD ';
const PYTHON_LOGIN = "'Authorization': 'Basic ' + b64encode(b'USER:PASSWORD').decode()";

function commandSamples(endpoint: string, { cmd, params }: SentRequest, needsLogin: boolean): readonly Sample[] {
  const json = writeJson(params, 0);
  const login = needsLogin ? ["user: 'USER'", "password: 'PASSWORD'"] : [];
  const client = [`url: '${endpoint}'`, ...login].join(', ');
  const headers = ["'Content-Type': 'application/json'", ...(needsLogin ? [PYTHON_LOGIN] : [])].join(', ');
  return [
    {
      language: 'curl',
      text: `curl ${needsLogin ? CURL_LOGIN : ''}-H 'Content-Type: application/json' \\\n  -d ${shellText(json)} '${endpoint}/${cmd}'`,
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
        `import json\nimport urllib.request\n${needsLogin ? 'from base64 import b64encode\n' : ''}\n` +
        `headers = {${headers}}\nbody = json.dumps(json.loads(${JSON.stringify(json)})).encode()\n` +
        `request = urllib.request.Request('${endpoint}/${cmd}', body, headers)\n` +
        'print(json.load(urllib.request.urlopen(request))["response"])',
    },
  ];
}

function fileSamples(
  endpoint: string,
  { cmd, params }: SentRequest,
  { name, type }: NonNullable<SentRequest['file']>,
  needsLogin: boolean,
): readonly Sample[] {
  const texts = Object.entries(params).map(([key, value]) => [key, String(value)]);
  const url = `${endpoint}/${cmd}?${new URLSearchParams(texts)}`;
  const headers = [`'Content-Type': '${type}'`];
  const inTypeScript = [...headers, ...(needsLogin ? ["Authorization: 'Basic ' + btoa('USER:PASSWORD')"] : [])];
  const inPython = [...headers, ...(needsLogin ? [PYTHON_LOGIN] : [])];
  const quoted = JSON.stringify(name);
  return [
    {
      language: 'curl',
      text:
        `curl ${needsLogin ? CURL_LOGIN : ''}-H 'Content-Type: ${type}' \\\n` +
        `  --data-binary ${shellText(`@${name}`)} '${url}'`,
    },
    {
      language: 'TypeScript',
      text:
        `import { openAsBlob } from 'node:fs';\n\nconst headers = { ${inTypeScript.join(', ')} };\n` +
        `const body = await openAsBlob(${quoted});\n` +
        `const response = await fetch('${url}', { method: 'POST', headers, body });\n` +
        'console.log(await response.text());',
    },
    {
      language: 'Python',
      text:
        `import urllib.request\n${needsLogin ? 'from base64 import b64encode\n' : ''}\n` +
        `headers = {${inPython.join(', ')}}\nwith open(${quoted}, 'rb') as file:\n` +
        `    request = urllib.request.Request('${url}', file.read(), headers)\n` +
        'print(urllib.request.urlopen(request).read().decode())',
    },
  ];
}

/** Returns a word of a shell. */
function shellText(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
