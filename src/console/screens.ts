/** The screens of the console. Each is loaded when it is opened. */
import type { JSX } from 'preact';

export type Screen = () => JSX.Element;

type ScreenName = 'overview' | 'caches' | 'query' | 'commands' | 'administration';

interface ScreenDeclaration {
  /** The name in the address. */
  readonly name: ScreenName;
  readonly title: string;
  load(): Promise<Screen>;
}

export const SCREENS: readonly ScreenDeclaration[] = [
  { name: 'overview', title: 'Overview', load: async () => (await import('./overview/overview.tsx')).Overview },
  { name: 'caches', title: 'Caches and tables', load: async () => (await import('./caches/caches.tsx')).Caches },
  { name: 'query', title: 'Query', load: async () => (await import('./query/query.tsx')).Query },
  { name: 'commands', title: 'Commands', load: async () => (await import('./commands/commands.tsx')).Commands },
  {
    name: 'administration',
    title: 'Administration',
    load: async () => (await import('./administration/administration.tsx')).Administration,
  },
];
