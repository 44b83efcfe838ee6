/** Where the user is: the area, and what is open in it. */

import { address, linkTo } from '../elements/address.ts';
import { catalog, titleOf } from '../requests/catalog.ts';
import { SCREENS } from '../screens.ts';

/** Returns what is open in the area, or undefined on the area's own page. */
function openedName(): string | undefined {
  const { screen, params } = address.value;
  if (screen === 'commands') return params.get('name') ?? undefined;
  const name = screen === 'caches' ? params.get('name') : null;
  if (name === null) return undefined;
  return titleOf(catalog.value?.find((entry) => entry.name === name) ?? { name, table: undefined });
}

export function Breadcrumbs() {
  const { screen } = address.value;
  const area = SCREENS.find(({ name }) => name === screen);
  const opened = openedName();
  if (area === undefined) return null;
  return (
    <nav aria-label="Breadcrumbs" class="breadcrumbs">
      <ol>
        <li>{opened === undefined ? <span>{area.title}</span> : <a href={linkTo(area.name)}>{area.title}</a>}</li>
        {opened !== undefined && (
          <li>
            <span class="mono">{opened}</span>
          </li>
        )}
      </ol>
    </nav>
  );
}
