/** The icons of the frame: lines on a grid of 16, in the colour of the text. They repeat what a text says. */

const PATHS = {
  overview: 'M2 14V9h3v5zM6.5 14V5h3v9zM11 14V2h3v12z',
  caches: 'M2 4c0-2.7 12-2.7 12 0v8c0 2.7-12 2.7-12 0zM2 4c0 2.7 12 2.7 12 0M2 8c0 2.7 12 2.7 12 0',
  query: 'M3 4l4 4-4 4M8.5 12.5H13',
  commands: 'M2 4h12M2 8h12M2 12h7',
  administration: 'M8 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2.5 14c.6-3 2.7-4.5 5.5-4.5s4.9 1.5 5.5 4.5',
  table: 'M2 3h12v10H2zM2 6.500h12M2 10h12M6.5 6.500V13',
  cache: 'M8 2l6 3-6 3-6-3zM2 8l6 3 6-3M2 11l6 3 6-3',
  saved: 'M4 2h8v12l-4-3-4 3z',
  feed: 'M3 13a0.5 0.5 0 1 0 0.01 0M3 8.500a4.500 4.500 0 0 1 4.500 4.500M3 4a9 9 0 0 1 9 9',
  deadline: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 5v3l2 1.500',
  menu: 'M2 4h12M2 8h12M2 12h12',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.8 10.8L14 14',
} as const;

export function Icon({ name }: { readonly name: keyof typeof PATHS }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
