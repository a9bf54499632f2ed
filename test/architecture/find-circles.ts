/**
 * Returns the circles of a directed graph: the largest sets of two or more nodes that all reach each
 * other (strongly connected components, by Tarjan's algorithm).
 */
export function findCircles(
  pairs: readonly (readonly [from: string, to: string])[],
): readonly (readonly string[])[] {
  const targets = Map.groupBy(pairs, ([from]) => from);
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const circles: string[][] = [];
  const lower = (node: string, to: number | undefined): void => {
    lowest.set(node, Math.min(lowest.get(node) ?? Infinity, to ?? Infinity));
  };
  const visit = (node: string): void => {
    const number = order.size;
    order.set(node, number);
    lowest.set(node, number);
    open.push(node);
    for (const [, target] of targets.get(node) ?? []) {
      if (!order.has(target)) visit(target);
      if (open.includes(target)) lower(node, lowest.get(target));
    }
    if (lowest.get(node) !== number) return;
    const circle = open.splice(open.indexOf(node));
    if (circle.length > 1) circles.push(circle.toSorted());
  };
  for (const node of targets.keys()) if (!order.has(node)) visit(node);
  return circles;
}
