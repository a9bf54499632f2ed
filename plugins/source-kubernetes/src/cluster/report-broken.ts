import { createHash } from 'node:crypto';
import type { JsonObject, PluginContext } from '@portolan/plugin-api';
import type { Offer } from '../objects/offer.ts';
import type { ClusterClient } from './cluster-client.ts';

/**
 * Milliseconds after which an event is created again, because the cluster deletes events after about an hour.
 */
const AGAIN_MS = 3_600_000;

/** Maximum number of events per read, which limits the load of many broken objects. */
const MAX_EVENTS = 50;

/**
 * Creates one event for each object whose entry is hidden. Failures are ignored, because the status of the
 * source shows the same.
 */
export class BrokenReporter {
  readonly #context: Pick<PluginContext, 'clock' | 'nowMs' | 'logger'>;
  readonly #reported = new Map<string, number>();

  constructor(context: Pick<PluginContext, 'clock' | 'nowMs' | 'logger'>) {
    this.#context = context;
  }

  async report(client: ClusterClient, offers: readonly Offer[], signal: AbortSignal): Promise<void> {
    const { clock, nowMs, logger } = this.#context;
    const now = nowMs();
    for (const [name, reportCount] of this.#reported)
      if (now - reportCount > AGAIN_MS) this.#reported.delete(name);
    const denied = new Set<string>();
    const fresh = offers.filter((offer) => 'because' in offer.content && !this.#reported.has(nameOf(offer)));
    for (const offer of fresh.slice(0, MAX_EVENTS)) {
      const { namespace } = offer;
      if (denied.has(namespace)) continue;
      try {
        const document = eventOf(offer, clock().toISOString());
        const { status } = await client.post(`/api/v1/namespaces/${namespace}/events`, document, signal);
        if (status === 403 || status === 404) denied.add(namespace);
        this.#reported.set(nameOf(offer), now);
      } catch (error) {
        signal.throwIfAborted();
        logger.debug({ object: offer.label, err: error }, 'no event could be written');
        return;
      }
    }
    for (const namespace of denied) logger.debug({ namespace }, 'events may not be written here');
  }
}

/**
 * Returns the name of an event. It is equal for the same fault of the same object, so that the cluster
 * refuses a second event.
 */
function nameOf({ uid, content }: Offer): string {
  const hash = createHash('sha256').update(JSON.stringify([uid, content]));
  return `portolan-${hash.digest('hex').slice(0, 32)}`;
}

function eventOf(offer: Offer, now: string): JsonObject {
  const { namespace, name, uid, resource, root, content } = offer;
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: nameOf(offer), namespace },
    involvedObject: {
      apiVersion: root.replace(/^\/apis?\//, ''),
      kind: resource.kind,
      namespace,
      name,
      uid,
    },
    type: 'Warning',
    reason: 'RegistryEntryHidden',
    message: 'because' in content ? content.because : '',
    source: { component: 'portolan' },
    reportingComponent: 'portolan',
    firstTimestamp: now,
    lastTimestamp: now,
    count: 1,
  };
}
