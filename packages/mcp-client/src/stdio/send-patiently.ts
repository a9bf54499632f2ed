import type { IncomingMessage } from 'node:http';
import { setTimeout as pass } from 'node:timers/promises';
import type { ChannelAddress } from './channel.ts';
import { retryDelayOf } from './retry-delay.ts';
import { isNobodyThere, type Sent, sendToProxy } from './client-http.ts';

/**
 * Sends a request with retries: up to `patienceMs` while nothing listens at the address, and up to
 * `startTimeoutMs` while responses ask for one. Returns the last response.
 */
export async function sendPatiently(place: ChannelAddress, sent: Sent): Promise<IncomingMessage> {
  const begunMs = performance.now();
  const until = begunMs + place.patienceMs;
  for (;;) {
    const target = await place.target();
    try {
      const response = await sendToProxy(target.url, {
        ...sent,
        headers: { ...target.headers, ...sent.headers },
      });
      const delayMs = sent.method === 'DELETE' ? undefined : retryDelayOf(response);
      if (delayMs === undefined || performance.now() + delayMs > begunMs + place.startTimeoutMs)
        return response;
      response.destroy();
      place.forget();
      await pass(delayMs, undefined, { signal: sent.signal });
    } catch (error) {
      sent.signal.throwIfAborted();
      if (!isNobodyThere(error)) throw brokeOff(place.name, error);
      place.forget();
      if (performance.now() > until) throw notThere(place.name, error);
      await pass(place.retryMs, undefined, { signal: sent.signal });
    }
  }
}

function brokeOff(name: string, cause: unknown): Error {
  return new Error(`${name} disconnected; the request may or may not have been executed`, { cause });
}

function notThere(name: string, cause: unknown): Error {
  return new Error(`${name} does not respond at its address; \`portolan status ${name}\` shows its state`, {
    cause,
  });
}
