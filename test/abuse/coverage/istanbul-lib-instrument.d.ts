/** What is used of the library, which has no declarations of its own. */
declare module 'istanbul-lib-instrument' {
  interface Instrumenter {
    instrumentSync(code: string, fileName: string): string;
  }
  export function createInstrumenter(options: {
    readonly esModules: boolean;
    readonly compact: boolean;
    readonly coverageVariable: string;
  }): Instrumenter;
}
