/**
 * Returns the cycles of a directed graph, one for each back edge of a depth-first search. Each begins and
 * ends with the same node.
 */
export function findCycles(
  pairs: readonly (readonly [from: string, to: string])[],
): readonly (readonly string[])[] {
  const targets = new Map<string, Set<string>>();
  for (const [from, to] of pairs) targets.set(from, (targets.get(from) ?? new Set()).add(to));
  const done = new Set<string>();
  const walk: string[] = [];
  const cycles: string[][] = [];
  const visit = (node: string): void => {
    const seenAt = walk.indexOf(node);
    if (seenAt >= 0) cycles.push([...walk.slice(seenAt), node]);
    if (seenAt >= 0 || done.has(node)) return;
    walk.push(node);
    for (const target of targets.get(node) ?? []) visit(target);
    walk.pop();
    done.add(node);
  };
  for (const node of targets.keys()) visit(node);
  return cycles;
}
