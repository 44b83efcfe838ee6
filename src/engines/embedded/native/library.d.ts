/** A shared library, imported with `type: 'file'`: its path. */
declare module '*.so' {
  const path: string;
  export default path;
}
