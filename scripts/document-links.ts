/** Reads the links and headings of Markdown documents. */
import { outsideBlocks } from './pages/markdown.ts';

/** A link with its line, from 1. */
export interface DocumentLink {
  readonly line: number;
  readonly target: string;
}

const LINK = /(\[(?:[^\][]|\[[^\]]*\])*\]\(\s*<?)([^)\s>]+)(?=>?(?:\s+"[^"]*")?\s*\))/g;

/** Returns the targets of the links and pictures of a document, without those in code. */
export function linksOf(markdown: string): DocumentLink[] {
  return withoutCode(markdown).flatMap((text, at) =>
    [...text.matchAll(LINK)].map(([, , target = '']) => ({ line: at + 1, target })),
  );
}

/** Returns a document with replaced link and picture targets. */
export function withTargets(markdown: string, targetOf: (target: string) => string): string {
  return outsideBlocks(markdown, (text) =>
    text.replaceAll(LINK, (_, start: string, target: string) => start + targetOf(target)),
  );
}

/** Returns the anchors of a document: those that hosts such as GitHub assign to its headings, and `<a id="X">`. */
export function anchorsOf(markdown: string): Set<string> {
  const anchors = new Set<string>();
  for (const text of withoutBlocks(markdown)) {
    for (const [, id = ''] of text.matchAll(/<a id="([^"]+)">/g)) anchors.add(id);
    const heading = /^#{1,6}\s+(.*?)\s*#*$/.exec(text)?.[1];
    if (heading === undefined) continue;
    const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '');
    const anchor = plain
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
    let unique = anchor;
    for (let number = 1; anchors.has(unique); number += 1) unique = `${anchor}-${number}`;
    anchors.add(unique);
  }
  return anchors;
}

/** Returns the lines of a document, empty where they are in a code block. */
function withoutBlocks(markdown: string): string[] {
  let isCode = false;
  return markdown.split('\n').map((text) => {
    const isFence = /^\s*```/.test(text);
    if (isFence) isCode = !isCode;
    return isCode || isFence ? '' : text;
  });
}

function withoutCode(markdown: string): string[] {
  return withoutBlocks(markdown).map((text) => text.replaceAll(/`` .*? ``|`[^`]*`/g, 'code'));
}
