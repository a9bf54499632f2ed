import type { SkippedEntry, SourceEntry } from '@portolan/plugin-api';
import type { Offer } from './offer.ts';
import { RESOURCES } from './resource.ts';

/**
 * Chooses between objects with the same entry name. The object of the first resource counts, even when it is
 * broken, because the other object might be visible to more users than intended. The order does not depend on
 * the cluster.
 */
export function chooseOffers(offers: readonly Offer[]): readonly (SourceEntry | SkippedEntry)[] {
  const sorted = offers.toSorted((a, b) => compare(a.entryName, b.entryName) || rank(a) - rank(b));
  const winners = new Map<string, Offer>();
  return sorted.map((offer) => {
    const winner = winners.get(offer.entryName);
    if (winner !== undefined) {
      const because = `${winner.label} gives the same name, and a ${winner.resource.kind} comes before it.`;
      return skip(offer, because);
    }
    winners.set(offer.entryName, offer);
    const { content } = offer;
    return 'entry' in content ? content.entry : skip(offer, content.because);
  });
}

function skip({ label, namespace, entryName }: Offer, because: string): SkippedEntry {
  const entry = { type: 'server', name: entryName } as const;
  return { skipped: label, because, scope: namespace, entry };
}

function rank({ resource }: Offer): number {
  return RESOURCES.findIndex(({ name }) => name === resource.name);
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
