/** The edge of a column, which is dragged to resize it. Keys do the same: see the grid. */
export function ColumnEdge(props: {
  readonly width: number;
  readonly onWidth: (width: number) => void;
  readonly onReset: () => void;
}) {
  const start = (event: PointerEvent & { readonly currentTarget: HTMLElement }): void => {
    const { currentTarget: edge, pointerId, clientX } = event;
    const { width } = props;
    event.preventDefault();
    edge.setPointerCapture(pointerId);
    const move = (moved: PointerEvent): void => props.onWidth(width + moved.clientX - clientX);
    edge.addEventListener('pointermove', move);
    edge.addEventListener('lostpointercapture', () => edge.removeEventListener('pointermove', move), { once: true });
  };
  return (
    <span
      class="column-edge"
      aria-hidden="true"
      title="Drag to resize; double click to fit"
      onPointerDown={start}
      onDblClick={props.onReset}
    />
  );
}
