/** The files that are generated from the declarations: those in the repository, and those of the built site. */
import product from '../../package.json' with { type: 'json' };
import { OPTION_ROWS } from '../../src/configuration/options.ts';
import { openApi } from '../../src/documentation/openapi.ts';
import { chartReadme, chartSchema } from './chart-files.ts';
import { clientCommandsFile } from './client-commands.ts';
import { commandLoadersFile } from './command-loaders.ts';
import { differencesPage } from './differences-page.ts';
import { errorPages, errorsPage } from './errors-page.ts';
import { goClientFile } from './go-client.ts';
import { limitsPages } from './limits-page.ts';
import { manualPage } from './manual-page.ts';
import { metricsPage } from './metrics-page.ts';
import { optionsPage } from './options-page.ts';
import { performancePage } from './performance-page.ts';
import { pythonClientFiles } from './python-client.ts';
import { referencePages } from './reference-page.ts';
import { RULES_PAGE, rulesPage } from './rules-page.ts';
import { sqlPage } from './sql-page.ts';
import { filledPages, withValues } from './stated-values.ts';

const SERVICE_NAME = 'svc';

/** Returns the text of each file in the repository by its path from the root. */
export function generatedFiles(): Readonly<Record<string, string>> {
  return {
    ...inDocs(referencePages(SERVICE_NAME)),
    'docs/options.md': optionsPage(OPTION_ROWS),
    'docs/differences.md': withValues(differencesPage()),
    'docs/errors.md': errorsPage(),
    ...inDocs(limitsPages()),
    'docs/metrics.md': metricsPage(),
    'docs/performance.md': performancePage(),
    'docs/sql.md': sqlPage(),
    [RULES_PAGE]: rulesPage(),
    ...filledPages(),
    'src/client/commands.ts': clientCommandsFile(),
    ...pythonClientFiles(),
    'clients/go/commands.go': goClientFile(),
    'src/cli/command-loaders.ts': commandLoadersFile(),
    'deploy/debian/svc.1': manualPage(product.version),
    'deploy/helm/svc/values.schema.json': chartSchema(),
    'deploy/helm/svc/README.md': chartReadme(),
  };
}

/** Returns the files that only the built site and a release have, by their paths as if they were in the repository. */
export function builtFiles(): Readonly<Record<string, string>> {
  return {
    'docs/errors.md': errorsPage({ withPages: true }),
    ...errorPages(),
    'docs/openapi.json': openApiDocument(),
  };
}

/** Returns the OpenAPI document as a service with the default options serves it. */
export function openApiDocument(): string {
  return `${JSON.stringify(openApi(SERVICE_NAME), undefined, 2)}\n`;
}

function inDocs(pages: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(pages).map(([path, text]) => [`docs/${path}`, withValues(text)]));
}
