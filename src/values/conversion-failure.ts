/**
 * Thrown for a text that is not a value of its declared type. `reason` has the form `CLASS: MESSAGE` of Ignite
 * (docs/spec/ignite-data.md 2.2) and becomes the last detail of the error CONVERSION.
 */
export class ConversionFailure extends Error {
  readonly reason: string;

  constructor(reason: string) {
    super(reason);
    this.name = 'ConversionFailure';
    this.reason = reason;
  }
}

/** Creates the failure for a text that is not a number, with Java's message. */
export function numberFormatFailure(message: string): ConversionFailure {
  return new ConversionFailure(`java.lang.NumberFormatException: ${message}`);
}

/** Creates the failure for any other text, with Java's message. */
export function illegalArgumentFailure(message: string): ConversionFailure {
  return new ConversionFailure(`java.lang.IllegalArgumentException: ${message}`);
}
