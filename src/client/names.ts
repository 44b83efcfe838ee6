/** Lists of names, for the console and the samples. */
export { joinNames, splitNames } from '../base/name-lists.ts';
