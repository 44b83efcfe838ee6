/** A client certificate whose subject only looks like another user's gets none of that user's rights. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCertificate, type SubjectAttribute } from '../certificates/certificates.ts';
import { WORKERS } from '../system/modes.ts';
import { newFolder, type ServiceProcess, startService } from '../system/service-process.ts';

const LIMIT_MS = 60_000;
const CN = '550403';
const O = '55040a';

type RelativeNames = ReadonlyArray<readonly SubjectAttribute[]>;

/** The subject that the configuration maps to the user `ann`. */
const ANN: RelativeNames = [[[CN, 'ann']], [[O, 'Example']]];

/** Subjects that read like ann's if values are not escaped, compared loosely or cut. */
const LOOKALIKES: ReadonlyArray<readonly [title: string, names: RelativeNames]> = [
  ['a comma inside the common name', [[[CN, 'ann,O=Example']]]],
  ['an escaped comma inside the common name', [[[CN, 'ann\\,O=Example']]]],
  ['a line feed inside the common name', [[[CN, 'ann\nO=Example']]]],
  ['a slash inside the common name', [[[CN, 'ann/O=Example']]]],
  ['a NUL after the common name', [[[CN, 'ann\0']], [[O, 'Example']]]],
  ['another case', [[[CN, 'ANN']], [[O, 'Example']]]],
  ['a blank after the common name', [[[CN, 'ann ']], [[O, 'Example']]]],
  ['both attributes in one relative name', [[...(ANN[0] ?? []), ...(ANN[1] ?? [])]]],
  ['a further common name', [...ANN, [[CN, 'bob']]]],
  ['no organization', [[[CN, 'ann']]]],
  ['a letter that looks the same', [[[CN, 'аnn']], [[O, 'Example']]]],
];

for (const workers of WORKERS.map(String)) {
  describe(`with ${workers} HTTP threads`, () => {
    const folder = newFolder();
    const authority = createCertificate('authority');
    let service: ServiceProcess;

    /** Sends a command with a client certificate of that subject. */
    async function sendAs(relativeNames: RelativeNames, query: string): Promise<{ successStatus: number }> {
      const { cert, key } = createCertificate('', { issuer: authority, relativeNames });
      const url = service.url.replace('http:', 'https:');
      const answer = await fetch(`${url}?${query}`, { tls: { ca: authority.cert, cert, key } });
      return (await answer.json()) as { successStatus: number };
    }

    beforeAll(async () => {
      const server = createCertificate('server', { issuer: authority, hosts: ['127.0.0.1'] });
      const write = (name: string, content: string): string => {
        writeFileSync(join(folder, name), content);
        return join(folder, name);
      };
      service = await startService({
        dataDir: join(folder, 'data'),
        env: {
          SVC_CONFIG: write(
            'svc.config.ts',
            `export default { users: [{ name: 'ann', password: 'ann' }], certificateUsers: { 'CN=ann,O=Example': 'ann' } };`,
          ),
          SVC_WORKERS: workers,
          SVC_AUTHENTICATION: 'true',
          SVC_ADMIN_PASSWORD: 'svc',
          SVC_HTTP_TLS_CERT: write('cert.pem', server.cert),
          SVC_HTTP_TLS_KEY: write('key.pem', server.key),
          SVC_HTTP_TLS_CA: write('ca.pem', authority.cert),
          SVC_HTTP_TLS_CLIENT_CERTIFICATES: 'required',
        },
      });
    }, LIMIT_MS);
    afterAll(async () => {
      await service[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    });

    test('the configured subject is the user', async () => {
      expect(await sendAs(ANN, 'cmd=put&key=a&val=1')).toMatchObject({ successStatus: 0 });
    });

    for (const [title, names] of LOOKALIKES) {
      test(`${title} makes another subject`, async () => {
        const answers = [await sendAs(names, 'cmd=get&key=a'), await sendAs(names, 'cmd=put&key=a&val=2')];
        expect(answers.map(({ successStatus }) => successStatus)).toEqual([2, 2]);
      });
    }

    test('a certificate of another authority is not accepted', async () => {
      const stranger = createCertificate('authority');
      const { cert, key } = createCertificate('', { issuer: stranger, relativeNames: ANN });
      const url = service.url.replace('http:', 'https:');
      const answer = fetch(`${url}?cmd=get&key=a`, { tls: { ca: authority.cert, cert, key } });
      await expect(answer).rejects.toThrow();
    });
  });
}
