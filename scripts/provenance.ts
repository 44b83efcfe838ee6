/**
 * The sources of a release, as an in-toto statement with SLSA's predicate in a signed envelope (DSSE), and its
 * verification with the public key in the release.
 */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const PAYLOAD_TYPE = 'application/vnd.in-toto+json';
const STATEMENT = 'https://in-toto.io/Statement/v1';
const PREDICATE = 'https://slsa.dev/provenance/v1';

export interface BuiltFile {
  readonly name: string;
  readonly sha256: string;
}

export interface Build {
  readonly version: string;
  /** The commit, if the sources are a clone. */
  readonly commit: string | undefined;
  readonly parts: readonly string[];
  readonly startedAt: string;
}

interface Envelope {
  readonly payloadType: string;
  readonly payload: string;
  readonly signatures: ReadonlyArray<{ readonly keyid: string; readonly sig: string }>;
}

/** Returns the key of a file, or a new one for this release alone. */
export function releaseKey(file: string | undefined): KeyObject {
  if (file === undefined) return generateKeyPairSync('ed25519').privateKey;
  const key = createPrivateKey(readFileSync(file));
  if (key.asymmetricKeyType !== 'ed25519') throw new Error(`${file}: must be a private key of Ed25519`);
  return key;
}

/** Writes the statement and the public key into the folder of the release, and returns their files. */
export function writeProvenance(folder: string, files: readonly BuiltFile[], build: Build, key: KeyObject): string[] {
  const statement = {
    _type: STATEMENT,
    subject: files.map(({ name, sha256 }) => ({ name, digest: { sha256 } })),
    predicateType: PREDICATE,
    predicate: {
      buildDefinition: {
        buildType: 'urn:svc-grid:build-release:1',
        externalParameters: { version: build.version, parts: build.parts },
        resolvedDependencies:
          build.commit === undefined ? [] : [{ name: 'source', digest: { gitCommit: build.commit } }],
      },
      runDetails: {
        builder: { id: 'npm run build:release' },
        metadata: { startedOn: build.startedAt },
      },
    },
  };
  const payload = Buffer.from(JSON.stringify(statement));
  const publicKey = createPublicKey(key);
  const envelope: Envelope = {
    payloadType: PAYLOAD_TYPE,
    payload: payload.toString('base64'),
    signatures: [{ keyid: idOf(publicKey), sig: sign(null, signedBytes(payload), key).toString('base64') }],
  };
  const provenance = join(folder, `svc-${build.version}.intoto.jsonl`);
  const publicFile = join(folder, `svc-${build.version}.pub`);
  writeFileSync(provenance, `${JSON.stringify(envelope)}\n`);
  writeFileSync(publicFile, publicKey.export({ type: 'spki', format: 'pem' }));
  return [provenance, publicFile];
}

/**
 * Returns the problems with the files of a release; none if the signature was made with the key and each file that the
 * statement names and `has` returns has its checksum.
 */
export function provenanceProblems(
  envelopeText: string,
  publicKey: string,
  has: (name: string) => Uint8Array | undefined,
): string[] {
  const { payloadType, payload, signatures }: Envelope = JSON.parse(envelopeText);
  const bytes = Buffer.from(payload, 'base64');
  const key = createPublicKey(publicKey);
  const isSigned = signatures.some(({ sig }) => verify(null, signedBytes(bytes), key, Buffer.from(sig, 'base64')));
  if (payloadType !== PAYLOAD_TYPE || !isSigned) return ['the statement is not signed with this key'];
  const { subject }: { subject: ReadonlyArray<{ name: string; digest: { sha256: string } }> } = JSON.parse(
    bytes.toString(),
  );
  const problems = subject.flatMap(({ name, digest }) => {
    const content = has(basename(name));
    const isSame = content === undefined || createHash('sha256').update(content).digest('hex') === digest.sha256;
    return isSame ? [] : [`${name} is not the file that was built`];
  });
  const present = subject.filter(({ name }) => has(basename(name)) !== undefined);
  return present.length === 0 ? ['none of the files that were built is here'] : problems;
}

/** Returns the bytes that DSSE signs. */
function signedBytes(payload: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`DSSEv1 ${PAYLOAD_TYPE.length} ${PAYLOAD_TYPE} ${payload.length} `), payload]);
}

function idOf(key: KeyObject): string {
  return createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex');
}
