/** Texts of the reference, with code and emphasis. */
import { type Span, spansOf } from './markdown.ts';

export function Spans({ spans }: { readonly spans: readonly Span[] }) {
  return (
    <>
      {spans.map(({ kind, text }, index) => {
        const key = `${index} ${text}`;
        if (kind === 'code') return <code key={key}>{text}</code>;
        return kind === 'strong' ? <strong key={key}>{text}</strong> : text;
      })}
    </>
  );
}

/** One line of the reference. */
export function Marked({ text }: { readonly text: string }) {
  return <Spans spans={spansOf(text)} />;
}
