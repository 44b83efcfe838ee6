/** The documentation of a command, from the reference. */

import { formatNumber } from '../elements/formats.ts';
import { paragraphsOf } from '../elements/markdown.ts';
import { Marked, Spans } from '../elements/marked.tsx';
import type { CommandDescription } from './declarations.ts';

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
          <summary>Possible errors: {formatNumber(errors.length)}</summary>
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
