import { expect, test } from 'bun:test';
import { AwsV4Signer } from 'aws4fetch';
import { S3Signer, sha256 } from './s3-signature.ts';

const CREDENTIALS = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
};
const DAY_MS = 24 * 3_600_000;

test('signs the example of the specification', () => {
  const signer = new S3Signer(CREDENTIALS, 'us-east-1');
  const { authorization } = signer.sign({
    method: 'GET',
    url: new URL('https://examplebucket.s3.amazonaws.com/test.txt'),
    headers: { Range: 'bytes=0-9' },
    bodyHash: sha256(''),
    nowMs: Date.UTC(2013, 4, 24),
  });
  expect(authorization).toBe(
    'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, ' +
      'SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, ' +
      'Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  );
});

test('signs as aws4fetch does, whatever paths, queries and headers have', async () => {
  const addresses = [
    "http://127.0.0.1:8333/bucket/a%20b/c%2Bd/(e)!'*~",
    'https://bucket.example.org/?list-type=2&prefix=a%2Fb%20c&continuation-token=%2B%3D*',
    'https://bucket.example.org:9000/base/0000/1-2.ltx?uploads=',
    'https://bucket.example.org/%C3%A4?uploadId=x&partNumber=10&partNumber2=9',
  ];
  for (const sessionToken of [undefined, 'token/+=']) {
    const credentials = { ...CREDENTIALS, ...(sessionToken !== undefined && { sessionToken }) };
    const signer = new S3Signer(credentials, 'eu-central-1');
    for (const [at, address] of addresses.entries()) {
      // Each on a different day, so no key is reused from another day.
      const nowMs = Date.UTC(2026, 0, 1, 12, 34, 56) + at * DAY_MS;
      const body = `body ${at}`;
      const headers = { 'If-None-Match': '*', 'x-amz-meta-time': '  two   spaces ' };
      const signed = signer.sign({ method: 'PUT', url: new URL(address), headers, bodyHash: sha256(body), nowMs });
      const theirs = await new AwsV4Signer({
        ...credentials,
        ...{ method: 'PUT', url: address, body, service: 's3', region: 'eu-central-1', allHeaders: true },
        headers: { ...headers, 'X-Amz-Content-Sha256': sha256(body) },
        datetime: new Date(nowMs).toISOString().replace(/[:-]|\.\d{3}/g, ''),
      }).sign();
      expect(signed.authorization).toBe(theirs.headers.get('authorization') ?? '');
    }
  }
});
