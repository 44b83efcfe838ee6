/** Finds import cycles. Types count: a cycle of types is as hard to read as one of values. */
import { type Complaint, importsOf, resolveImport, type SourceFile } from './rules.ts';

/** Reports each set of files that import one another, directly or through others, in sources and tests alike. */
export function checkCycles(files: readonly SourceFile[]): Complaint[] {
  const graph = new Map<string, readonly string[]>();
  for (const file of files) {
    const targets = importsOf(file).filter(({ target }) => target.startsWith('.'));
    graph.set(
      file.path,
      targets.map(({ target }) => resolveImport(file.path, target)),
    );
  }
  return stronglyConnected(graph)
    .filter((cycle) => cycle.length > 1)
    .map((cycle) => `${cycle[0]}:1: import cycle: ${cycle.join(' ')}`);
}

/** Returns the strongly connected components of a graph, each sorted (Tarjan's algorithm). */
function stronglyConnected(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>();
  const stack: string[] = [];
  const components: string[][] = [];

  function visit(node: string): number {
    const own = order.size;
    let low = own;
    order.set(node, own);
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!graph.has(next)) continue;
      if (!order.has(next)) low = Math.min(low, visit(next));
      else if (stack.includes(next)) low = Math.min(low, order.get(next) ?? low);
    }
    if (low === own) components.push(stack.splice(stack.indexOf(node)).sort());
    return low;
  }

  for (const node of graph.keys()) if (!order.has(node)) visit(node);
  return components;
}
