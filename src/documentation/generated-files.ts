/** The files of the repository that are generated from the declarations. */

import { clientCommandsFile } from './client-commands.ts';
import { differencesPage } from './differences-page.ts';
import type { DescribedOption } from './help.ts';
import { openApi } from './openapi.ts';
import { optionsPage } from './options-page.ts';
import { referencePage } from './reference.ts';

const SERVICE_NAME = 'svc';

/** Returns the text of each file by its path from the root of the repository. */
export function generatedFiles(options: readonly DescribedOption[]): Readonly<Record<string, string>> {
  return {
    'docs/reference.md': referencePage(SERVICE_NAME),
    'docs/options.md': optionsPage(options),
    'docs/differences.md': differencesPage(),
    'src/client/commands.ts': clientCommandsFile(),
    'docs/openapi.json': `${JSON.stringify(openApi(SERVICE_NAME), undefined, 2)}\n`,
  };
}
