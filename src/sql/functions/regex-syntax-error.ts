/** A pattern that java.util.regex rejects too, or that asks for more than the matcher allows. */
export class RegexSyntaxError extends Error {}
