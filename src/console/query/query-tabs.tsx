/** The tabs of the screen Query: each has a text, its parameters and its results. */
import { Button } from '../elements/elements.tsx';
import { forgetRun } from './runs.ts';
import { activeTab, closeTab, openTab, showTab, tabs } from './stored.ts';

export function QueryTabs() {
  const { id: activeId } = activeTab.value;
  const close = (id: number): void => {
    closeTab(id);
    forgetRun(id);
  };
  return (
    <nav class="query-tabs" aria-label="Queries">
      <ul>
        {tabs.value.map(({ id, name }) => (
          <li key={id} class={id === activeId ? 'shown' : ''}>
            <Button
              class="plain query-tab"
              aria-current={id === activeId ? 'true' : undefined}
              title={name}
              onClick={() => showTab(id)}
              onKeyDown={({ key }) => key === 'Delete' && close(id)}
            >
              {name}
            </Button>
            <Button class="plain query-tab-close" aria-label={`Close ${name}`} onClick={() => close(id)}>
              ✕
            </Button>
          </li>
        ))}
      </ul>
      <Button class="plain" aria-label="New query" title="New query" onClick={() => openTab('')}>
        +
      </Button>
    </nav>
  );
}
