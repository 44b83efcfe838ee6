/** The files of the console that the single-file executable carries: scripts/build.ts replaces this module. */

/** Content by file name, compressed with gzip, in base64. */
export type BundledFiles = Readonly<Record<string, string>>;

export const EMBEDDED_FILES: BundledFiles | undefined = undefined;
