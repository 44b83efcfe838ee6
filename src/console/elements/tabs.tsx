/** Views of one thing, of which the address names the one that is shown. */

export interface TabsProps {
  readonly label: string;
  readonly tabs: ReadonlyArray<{ readonly name: string; readonly title: string; readonly href: string }>;
  /** The name of the tab that is shown. */
  readonly chosen: string;
}

export function Tabs({ label, tabs, chosen }: TabsProps) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ name, title, href }) => (
        <a key={name} href={href} aria-current={name === chosen ? 'page' : undefined}>
          {title}
        </a>
      ))}
    </nav>
  );
}
