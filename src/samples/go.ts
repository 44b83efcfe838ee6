import { jsonText } from './literals.ts';
import {
  headerArguments,
  type Language,
  memberIn,
  membersOf,
  type ProgramNeeds,
  type ProgramRequest,
  queryOf,
  usedMember,
} from './program.ts';

/** Programs with Go's standard library. */
export const GO: Language = {
  name: 'Go',
  fence: 'go',
  indent: '\t',
  setup: (needs) => ({ before: `${headOf(needs)}func main() {\n`, after: '}\n' }),
  calls: (requests) =>
    requests
      .map((request, index) => {
        const sent = requestText(request, index > 0);
        if (usedMember(requests, index) !== undefined) return `first := ${sent}`;
        return index === requests.length - 1 ? `fmt.Println(${sent})` : sent;
      })
      .join('\n'),
};

function headOf({ endpoint, needsLogin, usesMember, usesFile }: ProgramNeeds): string {
  const imports = ['fmt', 'io', 'net/http', ...(usesFile ? ['os'] : []), ...(usesMember ? ['regexp'] : []), 'strings'];
  return `package main

import (
${imports.map((each) => `\t"${each}"\n`).join('')})

const endpoint = ${JSON.stringify(endpoint)}

// svc sends a JSON request and returns the answer.
func svc(request string, headers ...string) string {
	return post("", "application/json", request, headers...)
}

func post(query, contentType, body string, headers ...string) string {
	request, err := http.NewRequest("POST", endpoint+"?httpStatus=true"+query, strings.NewReader(body))
	if err != nil {
		panic(err)
	}
	request.Header.Set("Content-Type", contentType)
	for at := 0; at < len(headers); at += 2 {
		request.Header.Set(headers[at], headers[at+1])
	}
${needsLogin ? '\trequest.SetBasicAuth("USER", "PASSWORD")\n' : ''}	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		panic(err)
	}
	if answer.StatusCode != http.StatusOK {
		panic(string(text))
	}
	return string(text)
}

${usesMember ? MEMBER : ''}${usesFile ? FILE : ''}`;
}

const MEMBER = `// member returns the value of a member of an answer, without quotes.
func member(answer, name string) string {
	return regexp.MustCompile(\`"\` + name + \`":"?([^",}]+)\`).FindStringSubmatch(answer)[1]
}

`;

const FILE = `func file(name string) string {
	content, err := os.ReadFile(name)
	if err != nil {
		panic(err)
	}
	return string(content)
}

`;

function requestText(request: ProgramRequest, mayUseMember: boolean): string {
  if (request.body === undefined) return `svc(${jsonLiteral(request, mayUseMember)}${headerArguments(request)})`;
  const { type, rows } = request.body;
  const content = 'file' in rows ? `file(${JSON.stringify(rows.file)})` : JSON.stringify(rows.text);
  return `post(${JSON.stringify(`&${queryOf(request)}`)}, ${JSON.stringify(type)}, ${content})`;
}

function jsonLiteral(request: ProgramRequest, mayUseMember: boolean): string {
  const literal = goText(jsonText(membersOf(request)));
  const quote = literal.slice(-1);
  const members = mayUseMember ? Object.values(request.params).flatMap((value) => memberIn(value) ?? []) : [];
  return members.reduce(
    (all, name) => all.replace(`{${name}}`, `${quote} + member(first, "${name}") + ${quote}`),
    literal,
  );
}

/** Returns a text as a literal: raw, unless it cannot be. */
function goText(text: string): string {
  return /[`\r]/.test(text) ? JSON.stringify(text) : `\`${text}\``;
}
