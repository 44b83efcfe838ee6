/**
 * A text that is no value of its declared type. `reason` has the form `CLASS: MESSAGE` of Ignite
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

/** The refusal of a text that is no number, in Java's words. */
export function numberFormatFailure(message: string): ConversionFailure {
  return new ConversionFailure(`java.lang.NumberFormatException: ${message}`);
}

/** The refusal of any other text, in Java's words. */
export function illegalArgumentFailure(message: string): ConversionFailure {
  return new ConversionFailure(`java.lang.IllegalArgumentException: ${message}`);
}
