/** The text of `--help`. */

/** An option as surfaces describe it; the table of options holds them. */
export interface OptionDescription {
  readonly path: string;
  readonly environment: string;
  readonly flag: string | undefined;
  readonly option: {
    readonly allowed: string;
    readonly help: string;
    readonly secret: boolean;
    readonly defaultText: string;
  };
}

const WIDTH = 100;
const HEAD = `A data grid that is spoken to over HTTP.

Usage: svc [--config FILE] [OPTION ...]

A flag beats the environment variable, which beats the configuration file (svc.config.ts in the working
folder, or the one that --config or SVC_CONFIG names).

  --config FILE, SVC_CONFIG   the configuration file
  --help                      this text
  --version                   the version
`;

export function helpText(options: readonly OptionDescription[], version: string): string {
  const rows = options.map(({ path, environment, flag, option }) => {
    const names = [flag, environment, option.secret ? `${environment}_FILE` : undefined]
      .filter((each) => each !== undefined)
      .join(', ');
    const detail = `${option.help} Allowed: ${option.allowed}. Default: ${option.defaultText}. In the file: ${path}.`;
    return `  ${names}\n${wrap(detail, '      ')}`;
  });
  return `svc ${version}: ${HEAD}\n${rows.join('\n')}\n`;
}

/** Breaks a text into lines of at most WIDTH characters, each behind the indent. */
function wrap(text: string, indent: string): string {
  const lines: string[] = [];
  let line = indent;
  for (const word of text.split(' ')) {
    if (line.length + word.length > WIDTH && line !== indent) {
      lines.push(line.trimEnd());
      line = indent;
    }
    line += `${word} `;
  }
  lines.push(line.trimEnd());
  return lines.join('\n');
}
