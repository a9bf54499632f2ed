import { LEASE_MS } from './lease.ts';

/** Number of renewals during the lifetime of a lease, so that one failed renewal does not lose it. */
const RENEWALS = 3;

/**
 * Returns the stop function. At most three renewals run at once: when the database hangs, each occupies a
 * connection. `renew` must never reject.
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
