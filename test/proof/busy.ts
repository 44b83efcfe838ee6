/** The error of a statement that waited too long for a thread on a slow machine. It has not begun: repeat it. */
export const BUSY = /^All query threads are busy/;
