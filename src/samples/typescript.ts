import { brokenLiteral, LINE_CHARACTERS, TYPESCRIPT_NOTATION } from './literals.ts';
import { type Language, memberIn, type ProgramRequest, usedMember, watchOptions } from './program.ts';

const { text } = TYPESCRIPT_NOTATION;

/** Programs with the TypeScript client. */
export const TYPESCRIPT: Language = {
  name: 'TypeScript',
  fence: 'ts',
  indent: '',
  setup: ({ endpoint, needsLogin, usesFile }) => {
    const login = needsLogin ? ", user: 'USER', password: 'PASSWORD'" : '';
    return {
      before:
        `${usesFile ? "import { openAsBlob } from 'node:fs';\n" : ''}` +
        `import { SvcClient } from '@svc-grid/svc/client';\n\nconst client = new SvcClient({ url: ${text(endpoint)}${login} });\n`,
      after: '',
    };
  },
  calls: (requests) => requests.map((request, index) => statement(request, requests, index)).join('\n'),
};

function statement(request: ProgramRequest, requests: readonly ProgramRequest[], index: number): string {
  const isLast = index === requests.length - 1;
  if (isLast && request.cmd === 'watch') {
    const options = argument(watchOptions(request.params));
    return `for await (const change of client.watch(${options})) {\n  console.log(change);\n}`;
  }
  if (isLast && request.asRows === true) {
    const { qry, args } = request.params;
    const options = args === undefined ? '' : `, ${argument({ args })}`;
    return `for await (const row of client.query(${text(String(qry))}${options})) {\n  console.log(row);\n}`;
  }
  if (isLast && request.cmd === 'export') {
    const { format = 'ndjson', ...others } = request.params;
    return `console.log(await new Response(await client.export(${argument({ ...others, format })})).text());`;
  }
  const member = usedMember(requests, index);
  const sent = `await ${call(request, index > 0)}`;
  if (member !== undefined) return `const { ${member} } = ${sent};`;
  return isLast ? `console.log(${sent});` : `${sent};`;
}

function call({ cmd, params, body, idempotencyKey }: ProgramRequest, mayUseMember: boolean): string {
  if (body !== undefined) {
    const rows = 'file' in body.rows ? `await openAsBlob(${text(body.rows.file)})` : text(body.rows.text);
    const format = body.type === 'text/csv' ? 'csv' : 'ndjson';
    return `client.import(${rows}, ${argument({ format, ...params })})`;
  }
  const options = idempotencyKey === undefined ? '' : `, ${argument({ idempotencyKey })}`;
  if (Object.keys(params).length === 0 && options === '') return `client.${cmd}()`;
  return `client.${cmd}(${argument(params, mayUseMember)}${options})`;
}

function argument(params: object, mayUseMember = false): string {
  const replaced = (value: unknown) => (mayUseMember ? memberIn(value) : undefined);
  const members = Object.entries(params)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => {
      // A variable with the parameter's name.
      if (replaced(value) === name) return name;
      return `${TYPESCRIPT_NOTATION.member(name)}${brokenLiteral(value, TYPESCRIPT_NOTATION, '  ', replaced)}`;
    });
  const line = `{ ${members.join(', ')} }`;
  return line.length <= LINE_CHARACTERS && !line.includes('\n') ? line : `{\n  ${members.join(',\n  ')},\n}`;
}
