import { jsonText } from './literals.ts';
import {
  type Language,
  memberIn,
  membersOf,
  type ProgramNeeds,
  type ProgramRequest,
  queryOf,
  usedMember,
} from './program.ts';

const LOGIN = '-u USER:PASSWORD ';

/** Shell commands. */
export const CURL: Language = {
  name: 'curl',
  fence: 'sh',
  indent: '',
  setup: () => ({ before: '', after: '' }),
  calls: (requests, needs) =>
    requests
      .map((request, index) => {
        const sent = requestText(request, needs);
        const member = usedMember(requests, index);
        if (member === undefined) return sent;
        return `${member}=$(${sent.replace('curl ', 'curl -s ')} | sed -E 's/.*"${member}":"?([^",}]+).*/\\1/')`;
      })
      .join('\n'),
};

function requestText(request: ProgramRequest, { endpoint, needsLogin }: ProgramNeeds): string {
  const login = needsLogin ? LOGIN : '';
  if (request.body === undefined) {
    const { idempotencyKey: key, asRows } = request;
    const accept = asRows === true ? `-H ${quoted('Accept: application/x-ndjson')} ` : '';
    const header = key === undefined ? accept : `${accept}-H ${quoted(`Idempotency-Key: ${key}`)} `;
    return `curl ${login}${header}${quoted(endpoint)} --json ${quotedJson(request)}`;
  }
  const { type, rows } = request.body;
  const address = `${quoted(`${endpoint}?${queryOf(request)}`)} -H ${quoted(`Content-Type: ${type}`)}`;
  if ('file' in rows) return `curl ${login}${address} \\\n  --data-binary ${quoted(`@${rows.file}`)}`;
  return `printf ${quoted(printfFormat(rows.text))} | curl ${login}${address} --data-binary @-`;
}

/** Returns a request's JSON as a shell word, with variables for members of the previous response. */
function quotedJson(request: ProgramRequest): string {
  const json = quoted(jsonText(membersOf(request)));
  const members = Object.values(request.params).flatMap((value) => memberIn(value) ?? []);
  return members.reduce((text, member) => text.replace(`"{${member}}"`, `"'"$${member}"'"`), json);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function printfFormat(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('%', '%%').replaceAll('\n', '\\n');
}
