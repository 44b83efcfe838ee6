/** Thrown for a pattern that java.util.regex rejects, or that exceeds the bounds of the matcher. */
export class RegexSyntaxError extends Error {}
