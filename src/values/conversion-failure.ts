/** Thrown for a string that is not a value of its declared type. It becomes the last detail of the error CONVERSION. */
export class ConversionFailure extends Error {
  /** The reason in this service's words. */
  readonly reason: string;
  /** The reason as Ignite words it: `CLASS: MESSAGE` (docs/spec/ignite-data.md 2.2). */
  readonly javaReason: string;

  constructor(reason: string, javaReason: string) {
    super(javaReason);
    this.name = 'ConversionFailure';
    this.reason = reason;
    this.javaReason = javaReason;
  }
}

/** Creates the failure for a string that is not a number, with Java's message. */
export function numberFormatFailure(javaMessage: string, reason = 'not a number'): ConversionFailure {
  return new ConversionFailure(reason, `java.lang.NumberFormatException: ${javaMessage}`);
}

/** Creates the failure for any other string. `javaMessage` is Java's message, if different. */
export function illegalArgumentFailure(reason: string, javaMessage = reason): ConversionFailure {
  return new ConversionFailure(reason, `java.lang.IllegalArgumentException: ${javaMessage}`);
}
