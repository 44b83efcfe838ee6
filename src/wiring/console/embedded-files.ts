/** The console files included in the single-file executable: scripts/build.ts replaces this module. */

/** Content by file name, compressed with gzip, in base64. */
export type BundledFiles = Readonly<Record<string, string>>;

export const EMBEDDED_FILES: BundledFiles | undefined = undefined;
