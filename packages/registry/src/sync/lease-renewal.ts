import { LEASE_MS } from './lease.ts';

/** Renewals in the life of a lease, and those that may be under way: one that is not answered costs no lease. */
const RENEWALS = 3;

/**
 * Renews a lease three times in its life, until what it returns is called. Never more than three at once: where the
 * database says nothing, each would wait on one more connection of the pool, until there is none left. `renew` never rejects.
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
