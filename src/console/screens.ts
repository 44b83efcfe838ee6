/** The screens of the console. Each is loaded when it is opened. */
import { lazily } from './elements/lazy.ts';

const screen = <N extends string, C>(name: N, title: string, load: () => Promise<C>) => ({
  /** The name in the address. */
  name,
  title,
  useLoaded: lazily('The screen', load),
});

const overview = screen('overview', 'Overview', async () => (await import('./overview/overview.tsx')).Overview);

export const SCREENS = [
  overview,
  screen('caches', 'Caches and tables', async () => (await import('./caches/caches.tsx')).Caches),
  screen('query', 'Query', async () => (await import('./query/query.tsx')).Query),
  screen('commands', 'Commands', async () => (await import('./commands/commands.tsx')).Commands),
  screen(
    'administration',
    'Administration',
    async () => (await import('./administration/administration.tsx')).Administration,
  ),
] as const;

/** Returns the screen that an address names, otherwise the first one. */
export function screenOf(name: string) {
  return SCREENS.find((each) => each.name === name) ?? overview;
}
