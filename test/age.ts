/** Another implementation of age, the format of encrypted backups: rage, as a module of Python. */
import { pythonModule } from './python-program.ts';

const PROGRAM = `
import sys, pyrage
key = [line for line in open(sys.argv[1]).read().split() if line.startswith('AGE-SECRET-KEY')][0]
identity = pyrage.x25519.Identity.from_str(key)
given = sys.stdin.buffer.read()
done = pyrage.encrypt(given, [identity.to_public()]) if sys.argv[2] == 'encrypt' else pyrage.decrypt(given, [identity])
sys.stdout.buffer.write(done)
`;

/** Encrypts or decrypts with the first key of a file; undefined where the module cannot be installed. */
export function age(action: 'encrypt' | 'decrypt', keyFile: string, bytes: Uint8Array): Uint8Array | undefined {
  const folder = pythonModule('pyrage', 'pyrage==1.4.0');
  if (folder === undefined) return undefined;
  const run = Bun.spawnSync(['python3', '-c', PROGRAM, keyFile, action], {
    stdin: bytes,
    env: { ...process.env, PYTHONPATH: folder },
  });
  if (run.exitCode !== 0) throw new Error(run.stderr.toString());
  return run.stdout;
}
