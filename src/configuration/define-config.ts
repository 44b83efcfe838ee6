import type { SvcConfiguration } from './declaration.ts';

/** Returns the configuration unchanged; editors and the compiler check it. */
export function defineConfig(configuration: SvcConfiguration): SvcConfiguration {
  return configuration;
}
