/** A context menu, at the place where it was opened: by the second button, a long press or keys. */
import { Fragment } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

export interface MenuItem {
  readonly title: string;
  /** The keyboard shortcut. */
  readonly keys?: string;
  readonly isDangerous?: boolean;
  /** Whether it is disabled. */
  readonly isDisabled?: boolean;
  readonly onChoose: () => void;
}

/** Items that belong together. */
export type MenuGroup = readonly MenuItem[];

export interface MenuProps {
  readonly label: string;
  /** Where it opens, in window pixels. It stays within the window. */
  readonly at: readonly [x: number, y: number];
  readonly groups: readonly MenuGroup[];
  /** Closes it. The focus returns to where it was before an item does its work. */
  readonly onClose: () => void;
}

const MARGIN_PIXELS = 4;

export function Menu({ label, at: [x, y], groups, onClose }: MenuProps) {
  const menu = useRef<HTMLDivElement>(null);
  const items = (): HTMLElement[] => [
    ...(menu.current?.querySelectorAll<HTMLElement>('[role=menuitem]:not([aria-disabled])') ?? []),
  ];
  const before = useRef<Element | null>(null);
  const close = (): void => {
    onClose();
    if (before.current instanceof HTMLElement) before.current.focus({ preventScroll: true });
  };
  useLayoutEffect(() => {
    const { current: element } = menu;
    if (element === null) return;
    const { width, height } = element.getBoundingClientRect();
    element.style.left = `${Math.max(MARGIN_PIXELS, Math.min(x, innerWidth - width - MARGIN_PIXELS))}px`;
    element.style.top = `${Math.max(MARGIN_PIXELS, Math.min(y, innerHeight - height - MARGIN_PIXELS))}px`;
    before.current = document.activeElement;
    items()[0]?.focus({ preventScroll: true });
  }, [x, y]);
  useEffect(() => {
    const leave = (event: Event): void => {
      if (!(event.target instanceof Node) || menu.current?.contains(event.target) !== true) onClose();
    };
    addEventListener('pointerdown', leave, true);
    addEventListener('wheel', leave, { capture: true, passive: true });
    addEventListener('resize', onClose);
    return () => {
      removeEventListener('pointerdown', leave, true);
      removeEventListener('wheel', leave, true);
      removeEventListener('resize', onClose);
    };
  }, [onClose]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const all = items();
    const { activeElement } = document;
    const now = activeElement instanceof HTMLElement ? all.indexOf(activeElement) : -1;
    const places: Readonly<Record<string, number>> = {
      ArrowDown: (now + 1) % all.length,
      ArrowUp: (now - 1 + all.length) % all.length,
      Home: 0,
      End: all.length - 1,
    };
    const place = places[event.key];
    if (place !== undefined) all[place]?.focus();
    else if (event.key === 'Escape' || event.key === 'Tab') close();
    else if (event.key === 'Enter' || event.key === ' ') all[now]?.click();
    else if (event.key.length === 1) {
      // A letter leads to the next item that begins with it.
      const rotated = [...all.slice(now + 1), ...all.slice(0, now + 1)];
      const letter = event.key.toLowerCase();
      rotated.find((item) => item.textContent?.toLowerCase().startsWith(letter))?.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      ref={menu}
      class="menu-items"
      role="menu"
      tabIndex={-1}
      aria-label={label}
      onKeyDown={onKeyDown}
      onContextMenu={(event) => event.preventDefault()}
    >
      {groups
        .filter((group) => group.length > 0)
        .map((group, at) => (
          <Fragment key={group[0]?.title}>
            {at > 0 && <hr />}
            {group.map(({ title, keys, isDangerous, isDisabled, onChoose }) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the menu handles the keys
              <div
                key={title}
                role="menuitem"
                tabIndex={-1}
                class={isDangerous === true ? 'bad' : ''}
                {...(isDisabled === true && { 'aria-disabled': true })}
                onClick={() => {
                  if (isDisabled === true) return;
                  close();
                  onChoose();
                }}
              >
                <span>{title}</span>
                {keys !== undefined && <span class="keys">{keys}</span>}
              </div>
            ))}
          </Fragment>
        ))}
    </div>
  );
}
