/** What writes programs is loaded when they are asked for. */
import { lazily } from '../elements/lazy.ts';

export const useSamples = lazily('The samples', async () => (await import('./samples-view.tsx')).Samples);
