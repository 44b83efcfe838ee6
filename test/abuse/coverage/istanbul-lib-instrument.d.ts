/** The used part of the library, which comes without declarations. */
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
