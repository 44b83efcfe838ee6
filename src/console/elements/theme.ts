/** Light and dark: as the system says, unless the user chooses. */
import { signal } from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark';
const STORED = 'svc.theme';

export const theme = signal<Theme>(read());
const darkSystem = matchMedia('(prefers-color-scheme: dark)');
/** What the system says now; it may change at sunset. */
export const isSystemDark = signal(darkSystem.matches);
darkSystem.addEventListener('change', ({ matches }) => {
  isSystemDark.value = matches;
});

/** Applies a theme, and keeps the choice in the browser. */
export function chooseTheme(chosen: Theme): void {
  localStorage.setItem(STORED, chosen);
  theme.value = chosen;
  apply();
}

/** Marks the page with the theme, for its styles. */
export function apply(): void {
  document.documentElement.dataset.theme = theme.value;
}

function read(): Theme {
  const stored = localStorage.getItem(STORED);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}
