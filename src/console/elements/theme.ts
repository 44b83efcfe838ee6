/** Light and dark: follows the system, unless the user chooses. */
import { signal } from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark';
const STORED = 'svc.theme';

export const theme = signal<Theme>(read());
const darkSystem = matchMedia('(prefers-color-scheme: dark)');
/** The system's current theme; it may change at sunset. */
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
