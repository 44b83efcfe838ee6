/** What a service without data offers. The offers are loaded only then. */
import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { Failure } from '../elements/elements.tsx';
import { catalog } from '../requests/catalog.ts';
import { messageOf } from '../requests/request.ts';
import { isEmpty } from './is-empty.ts';

const offers = signal<(() => JSX.Element) | undefined>(undefined);
const failure = signal('');

async function load(): Promise<void> {
  try {
    offers.value ??= (await import('./offers.tsx')).Offers;
    failure.value = '';
  } catch (problem) {
    failure.value = `The first steps cannot be loaded: ${messageOf(problem)}`;
  }
}

export function EmptyService() {
  const isShown = isEmpty(catalog.value);
  useEffect(() => {
    if (isShown) void load();
  }, [isShown]);
  if (!isShown) return null;
  const { value: Shown } = offers;
  return Shown === undefined ? <Failure text={failure.value} /> : <Shown />;
}
