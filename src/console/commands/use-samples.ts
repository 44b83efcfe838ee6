/** The code that writes programs is loaded on demand. */
import { lazily } from '../elements/lazy.ts';

export const useSamples = lazily('The samples', async () => (await import('./samples-view.tsx')).Samples);
