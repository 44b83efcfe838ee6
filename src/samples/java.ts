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

/** Programs with the JDK's client, which has no JSON: the response is a string. */
export const JAVA: Language = {
  name: 'Java',
  fence: 'java',
  indent: '    ',
  setup: (needs) => ({
    before: `${headOf(needs)}  public static void main(String[] args) throws Exception {\n`,
    after: '  }\n}\n',
  }),
  calls: (requests) =>
    requests
      .map((request, index) => {
        const sent = requestText(request, index > 0);
        if (usedMember(requests, index) !== undefined) return `var first = ${sent};`;
        return index === requests.length - 1 ? `System.out.println(${sent});` : `${sent};`;
      })
      .join('\n'),
};

function headOf({ endpoint, needsLogin, usesMember, usesFile }: ProgramNeeds): string {
  const imports = [
    'java.net.URI',
    'java.net.http.HttpClient',
    'java.net.http.HttpRequest',
    'java.net.http.HttpRequest.BodyPublishers',
    'java.net.http.HttpResponse.BodyHandlers',
    ...(usesFile ? ['java.nio.file.Files', 'java.nio.file.Path'] : []),
    ...(needsLogin ? ['java.util.Base64'] : []),
    ...(usesMember ? ['java.util.regex.Pattern'] : []),
  ];
  const login = needsLogin
    ? '\n        .header("Authorization", "Basic " + Base64.getEncoder().encodeToString("USER:PASSWORD".getBytes()))'
    : '';
  return `${imports.map((each) => `import ${each};\n`).join('')}
public class Program {
  static final String ENDPOINT = ${JSON.stringify(endpoint)};
  static final HttpClient CLIENT = HttpClient.newHttpClient();

  /** Sends a JSON request and returns the answer. */
  static String svc(String request, String... headers) throws Exception {
    return post("", "application/json", request, headers);
  }

  static String post(String query, String contentType, String body, String... headers) throws Exception {
    var request = HttpRequest.newBuilder(URI.create(ENDPOINT + "?httpStatus=true" + query))
        .header("Content-Type", contentType)${login}
        .POST(BodyPublishers.ofString(body));
    if (headers.length > 0) request.headers(headers);
    var answer = CLIENT.send(request.build(), BodyHandlers.ofString());
    if (answer.statusCode() != 200) throw new IllegalStateException(answer.body());
    return answer.body();
  }

${usesMember ? MEMBER : ''}`;
}

const MEMBER = `  /** Returns the value of a member of an answer, without quotes. */
  static String member(String answer, String name) {
    var found = Pattern.compile("\\"" + name + "\\":\\"?([^\\",}]+)").matcher(answer);
    if (!found.find()) throw new IllegalStateException(answer);
    return found.group(1);
  }

`;

function requestText(request: ProgramRequest, mayUseMember: boolean): string {
  if (request.body === undefined) return `svc(${jsonLiteral(request, mayUseMember)}${headers(request)})`;
  const { type, rows } = request.body;
  const content =
    'file' in rows ? `Files.readString(Path.of(${JSON.stringify(rows.file)}))` : JSON.stringify(rows.text);
  return `post(${JSON.stringify(`&${queryOf(request)}`)}, ${JSON.stringify(type)}, ${content})`;
}

/** Returns the names and values of a request's headers as additional arguments of a call. */
function headers({ idempotencyKey: key, asRows }: ProgramRequest): string {
  const accept = asRows === true ? ', "Accept", "application/x-ndjson"' : '';
  return key === undefined ? accept : `${accept}, "Idempotency-Key", ${JSON.stringify(key)}`;
}

/** Returns a request's JSON as a text block. */
function jsonLiteral(request: ProgramRequest, mayUseMember: boolean): string {
  const json = jsonText(membersOf(request)).replaceAll('\\', '\\\\').replaceAll('"""', '\\"""');
  const literal = `"""\n${json.replaceAll(/^/gm, '    ')}"""`;
  const members = mayUseMember ? Object.values(request.params).flatMap((value) => memberIn(value) ?? []) : [];
  if (members.length === 0) return literal;
  const format = members.reduce((all, name) => all.replace(`{${name}}`, '%s'), literal.replaceAll('%', '%%'));
  return `${format}.formatted(${members.map((name) => `member(first, "${name}")`).join(', ')})`;
}
