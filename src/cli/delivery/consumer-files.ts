/** A consumer's files. What a function has written is on disk when it returns. */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorText } from '../../base/errors.ts';
import { isMissing } from '../../base/missing-files.ts';
import { usageError } from '../failures.ts';

const MODE = 0o600;

/** Returns the position in a file, or undefined if there is no file. Throws CommandLineError. */
export function readPosition(path: string): string | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw usageError(`--state: ${errorText(error)}`);
  }
  const position = /^\s*\{"position":"([^"\s]+)"\}\s*$/.exec(text)?.[1];
  if (position === undefined) throw usageError(`--state: ${path} is not the file of a consumer`);
  return position;
}

/** Replaces the position: a crash leaves either the previous one or this one. */
export function writePosition(path: string, position: string): void {
  const next = `${path}.next`;
  writeDurably(next, 'w', `${JSON.stringify({ position })}\n`);
  renameSync(next, path);
  const folder = openSync(dirname(path), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** Appends a rejected event, with the receiver's response. */
export function appendRejected(path: string, time: string, status: number, answer: string, event: string): void {
  const head = JSON.stringify({ time, status, answer }).slice(0, -1);
  writeDurably(path, 'a', `${head},"event":${event}}\n`);
}

function writeDurably(path: string, flags: 'w' | 'a', text: string): void {
  const descriptor = openSync(path, flags, MODE);
  try {
    writeSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
