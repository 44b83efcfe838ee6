/** The files of the repository that follow from the declarations. */
import type { DescribedOption } from './help.ts';
import { openApi } from './openapi.ts';
import { referencePage } from './reference.ts';

const SERVICE_NAME = 'svc';

/** Text by path from the root of the repository; the same for the same declarations. */
export function generatedFiles(options: readonly DescribedOption[]): Readonly<Record<string, string>> {
  return {
    'docs/reference.md': referencePage(SERVICE_NAME, options),
    'docs/openapi.json': `${JSON.stringify(openApi(SERVICE_NAME), undefined, 2)}\n`,
  };
}
