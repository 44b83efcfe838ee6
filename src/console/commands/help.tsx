/** The documentation of a command, from the reference. */
import type { CommandDescription } from './declarations.ts';
import { paragraphsOf, type Span, spansOf } from './markdown.ts';

function Spans({ spans }: { readonly spans: readonly Span[] }) {
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

export function Help({ command }: { readonly command: CommandDescription }) {
  const { description, answer, errors } = command;
  return (
    <div class="command-help">
      {paragraphsOf(description).map((spans) => (
        <p key={spans.map(({ text }) => text).join('')}>
          <Spans spans={spans} />
        </p>
      ))}
      {answer !== '' && (
        <p>
          <strong>Response:</strong> <Marked text={answer} />
        </p>
      )}
      {errors.length > 0 && (
        <details>
          <summary>Errors of its own: {errors.length}</summary>
          <ul class="command-errors">
            {errors.map((code) => (
              <li key={code}>
                <a href={`docs/errors/${code}`} target="_blank" rel="noopener">
                  {code}
                  <span class="hidden"> (new tab)</span>
                </a>
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}
