import { DECIMAL_BOUNDS } from './limits.ts';

const { digits, scale } = DECIMAL_BOUNDS;

/** Describes the bound of decimals, for error messages and documentation. */
export const DECIMAL_BOUND = `at most ${digits} digits and a scale from ${-scale} to ${scale}`;
