import { describe, expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCertificate, type SubjectAttribute } from '../../../test/certificates/certificates.ts';
import { certificateSubject, configuredSubject } from './certificate-subject.ts';

const CN = '550403';
const O = '55040a';
const OU = '55040b';
const UNKNOWN = '2a0304';

type RelativeNames = ReadonlyArray<readonly SubjectAttribute[]>;

function subjectOf(relativeNames: RelativeNames): string | undefined {
  return certificateSubject(new X509Certificate(createCertificate('', { relativeNames }).der));
}

const SUBJECTS: ReadonlyArray<readonly [title: string, names: RelativeNames, configured: string]> = [
  ['one attribute', [[[CN, 'ann']]], 'CN=ann'],
  ['two relative names', [[[CN, 'ann']], [[O, 'Example']]], 'CN=ann,O=Example'],
  ['the order of RFC 4514', [[[O, 'Example']], [[CN, 'ann']]], 'CN=ann,O=Example'],
  ['a comma in a value', [[[CN, 'ann,O=Example']]], 'CN=ann\\,O=Example'],
  ['a comma as a pair of digits', [[[CN, 'a,b']]], 'CN=a\\2cb'],
  ['a plus sign in a value', [[[CN, 'a+O=b']]], 'CN=a\\+O=b'],
  [
    'two attributes in one relative name',
    [
      [
        [CN, 'a'],
        [O, 'b'],
      ],
    ],
    'O=b+CN=a',
  ],
  ['quotes, backslash, brackets, semicolon', [[[CN, '"\\<>;']]], 'CN=\\"\\\\\\<\\>\\;'],
  ['a leading #', [[[CN, '#0c01']]], 'CN=\\#0c01'],
  ['blanks at both ends', [[[CN, ' a ']]], 'CN=\\ a\\ '],
  ['one blank', [[[CN, ' ']]], 'CN=\\ '],
  ['a backslash before a last blank', [[[CN, '\\ ']]], 'CN=\\\\\\ '],
  ['NUL', [[[CN, 'ann\0.evil']]], 'CN=ann\\00.evil'],
  ['a line feed', [[[CN, 'a\nO=b']]], 'CN=a\\0aO=b'],
  ['a letter beyond ASCII', [[[CN, 'Zoë']]], 'CN=Zo\\c3\\ab'],
  ['PrintableString', [[[CN, 'ann', 0x13]]], 'CN=ann'],
  ['BMPString', [[[CN, Buffer.from('0061006e006e', 'hex'), 0x1e]]], 'CN=ann'],
  ['TeletexString beyond ASCII', [[[CN, Buffer.from('e9', 'hex'), 0x14]]], 'CN=é'],
  ['an attribute without a short name', [[[UNKNOWN, 'x']]], '1.2.3.4=x'],
  ['a type in digits', [[[CN, 'ann']]], '2.5.4.3=ann'],
  ['letter case of types and blanks around separators', [[[CN, 'ann']], [[O, 'E']]], ' cn = ann , o = E '],
  ['the same type twice', [[[OU, 'a']], [[OU, 'b']], [[CN, 'c']]], 'CN=c,OU=b,OU=a'],
  ['an empty value', [[[CN, '']], [[O, 'E']]], 'CN=,O=E'],
];

describe('equals the configured subject', () => {
  for (const [title, relativeNames, configured] of SUBJECTS) {
    test(title, () => {
      const subject = subjectOf(relativeNames);
      expect(subject).toBe(configuredSubject(configured));
    });
  }
});

const DIFFERENT: ReadonlyArray<readonly [title: string, one: RelativeNames, other: RelativeNames]> = [
  ['a comma and a further relative name', [[[CN, 'ann,O=Example']]], [[[CN, 'ann']], [[O, 'Example']]]],
  [
    'a plus sign and a further attribute',
    [[[CN, 'a+O=b']]],
    [
      [
        [CN, 'a'],
        [O, 'b'],
      ],
    ],
  ],
  [
    'one relative name and two',
    [
      [
        [CN, 'a'],
        [O, 'b'],
      ],
    ],
    [[[CN, 'a']], [[O, 'b']]],
  ],
  ['NUL and the end', [[[CN, 'ann\0']]], [[[CN, 'ann']]]],
  ['letter case of values', [[[CN, 'Ann']]], [[[CN, 'ann']]]],
  ['a blank at the end and none', [[[CN, 'ann ']]], [[[CN, 'ann']]]],
  ['a backslash and an escape', [[[CN, 'a\\,b']]], [[[CN, 'a,b']]]],
  ['orders of equal types', [[[OU, 'a']], [[OU, 'b']], [[CN, 'c']]], [[[OU, 'b']], [[OU, 'a']], [[CN, 'c']]]],
  ['a list and a value with a comma', [[[OU, 'a']], [[OU, 'b']]], [[[OU, 'a,b']]]],
];

describe('subjects differ in', () => {
  for (const [title, one, other] of DIFFERENT) {
    test(title, () => {
      const [first, second] = [one, other].map((relativeNames) => subjectOf(relativeNames));
      expect(first).not.toBe(second);
    });
  }
});

const WRONG: ReadonlyArray<readonly [text: string, told: string]> = [
  ['ann', 'has no "="'],
  ['CN=Example, Inc.,O=x', 'has no "="'],
  ['CN=a+b', 'has no "="'],
  ['XX=a', 'not a known attribute'],
  ['CN=a;O=b', 'separates nothing'],
  ['CN=a\\', 'is not an escape'],
  ['CN=a\\ff', 'not valid UTF-8'],
  ['CN=#0c03616e6e', 'begins with "#"'],
  ['CN=a,', 'has no "="'],
];

describe('rejects a configured subject', () => {
  for (const [text, told] of WRONG) test(text, () => expect(() => configuredSubject(text)).toThrow(told));
});

test('a certificate without a subject identifies nobody', () => {
  expect(subjectOf([])).toBe(undefined);
});

test.skipIf(Bun.which('openssl') === null)(
  'what openssl prints is the configured form',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-subject-'));
    try {
      const file = join(folder, 'certificate.pem');
      for (const [title, relativeNames] of SUBJECTS) {
        // It prints a value of a type that it does not know as DER.
        if (title === 'an attribute without a short name') continue;
        const certificate = createCertificate('', { relativeNames });
        writeFileSync(file, certificate.cert);
        for (const order of ['RFC2253', 'RFC2253,-dn_rev']) {
          const printed = execFileSync('openssl', ['x509', '-in', file, '-noout', '-subject', '-nameopt', order]);
          const text = String(printed)
            .replace(/^subject=/, '')
            .replace(/\n$/, '');
          expect([text, configuredSubject(text)]).toEqual([text, String(subjectOf(relativeNames))]);
        }
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    // It starts fifty processes.
  },
  60_000,
);
