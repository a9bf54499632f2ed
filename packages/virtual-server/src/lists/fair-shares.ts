/**
 * Returns how much of a total each of several demands gets: what it needs, or an equal share of what smaller
 * demands leave.
 */
export function fairShares(demands: readonly number[], total: number): readonly number[] {
  const shares = demands.map(() => 0);
  const order = demands.map((_demand, at) => at).toSorted((a, b) => (demands[a] ?? 0) - (demands[b] ?? 0));
  let left = total;
  for (const [done, at] of order.entries()) {
    const share = Math.min(demands[at] ?? 0, Math.floor(left / (order.length - done)));
    shares[at] = share;
    left -= share;
  }
  return shares;
}
