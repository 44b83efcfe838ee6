/** Preloaded into a service: its processes cannot bound their memory, as on systems whose kernel has no such limit. */
import { plugin } from 'bun';

plugin({
  name: 'no limit of the kernel',
  setup(build) {
    build.onLoad({ filter: /[\\/]statement[\\/]memory-limit\.ts$/ }, async ({ path }) => ({
      contents: (await Bun.file(path).text()).replace("'libc.so.6'", "'no library'"),
      loader: 'ts',
    }));
  },
});
