/** Views of one thing; the address names the current one. */
import { useEffect, useRef } from 'preact/hooks';

export interface TabsProps {
  readonly label: string;
  readonly tabs: ReadonlyArray<{ readonly name: string; readonly title: string; readonly href: string }>;
  /** The name of the current tab. */
  readonly chosen: string;
}

export function Tabs({ label, tabs, chosen }: TabsProps) {
  const row = useRef<HTMLElement>(null);
  useEffect(() => {
    // On a small screen the row scrolls.
    row.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [chosen]);
  return (
    <nav class="tabs" aria-label={label} ref={row}>
      {tabs.map(({ name, title, href }) => (
        <a key={name} href={href} aria-current={name === chosen ? 'page' : undefined}>
          {title}
        </a>
      ))}
    </nav>
  );
}
