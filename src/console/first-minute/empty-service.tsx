/** The first steps in a service without data, loaded only then. */
import { Failure } from '../elements/elements.tsx';
import { lazily } from '../elements/lazy.ts';
import { catalog } from '../requests/catalog.ts';
import { isEmpty } from './is-empty.ts';

const useOffers = lazily('The first steps', async () => (await import('./offers.tsx')).Offers);

export function EmptyService() {
  const isShown = isEmpty(catalog.value);
  const { Shown, failure } = useOffers(isShown);
  if (!isShown) return null;
  return Shown === undefined ? <Failure text={failure} /> : <Shown />;
}
