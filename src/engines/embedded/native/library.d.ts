/** The path of a shared library that is imported with `type: 'file'`. */
declare module '*.so' {
  const path: string;
  export default path;
}
