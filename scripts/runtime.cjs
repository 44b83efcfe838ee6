// Finds the Bun that npm installed next to this package, as the script svc does, for the parts that run on Node:
// svc.cjs, and the root of the package (src/embedding-node.ts).
const { spawnSync } = require('node:child_process');
const { existsSync, readdirSync, statSync } = require('node:fs');
const { dirname, join } = require('node:path');

/** Files that stand in for the runtime are shorter. */
const LONGEST_TEXT_BYTES = 65_536;

/** Returns the path of the runtime. Throws an error that says what to do if there is none. */
exports.runtimePath = () => {
  const packages = packagesFolder();
  if (packages !== undefined) {
    const installed = join(packages, 'bun', 'bin', 'bun.exe');
    // If install scripts are blocked, this file is a text file, and the program is still in the package of its
    // platform.
    if (existsSync(installed) && statSync(installed).size > LONGEST_TEXT_BYTES) return installed;
    const platforms = join(packages, '@oven');
    for (const name of existsSync(platforms) ? readdirSync(platforms) : []) {
      const path = join(platforms, name, 'bin', process.platform === 'win32' ? 'bun.exe' : 'bun');
      // Some package managers also install those for other C libraries.
      if (spawnSync(path, ['--version'], { stdio: 'ignore' }).status === 0) return path;
    }
  }
  throw new Error('The Bun runtime is not installed: run npm install again, with optional dependencies');
};

/** Returns the folder of the runtime's package, or undefined if it is not installed. */
function packagesFolder() {
  try {
    return dirname(dirname(require.resolve('bun/package.json')));
  } catch {
    return undefined;
  }
}
