import { LEASE_MS } from './lease.ts';

/**
 * Number of renewals within a lease's lifetime, and maximum number of concurrent ones. A single lost renewal
 * costs no lease.
 */
const RENEWALS = 3;

/**
 * Renews a lease three times within its lifetime. Returns a function that stops it. At most three renewals
 * run at once: when the database hangs, each occupies a connection of the pool. `renew` must never reject.
 */
export function startRenewal(renew: () => Promise<void>, everyMs = LEASE_MS / RENEWALS): () => void {
  let underWay = 0;
  const attempt = async (): Promise<void> => {
    if (underWay === RENEWALS) return;
    underWay += 1;
    await renew();
    underWay -= 1;
  };
  const timer = setInterval(() => void attempt(), everyMs).unref();
  return () => clearInterval(timer);
}
