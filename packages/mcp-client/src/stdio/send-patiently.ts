import type { IncomingMessage } from 'node:http';
import { setTimeout as pass } from 'node:timers/promises';
import type { ChannelPlace } from './channel.ts';
import { isNobodyThere, type Sent, sendToProxy } from './front-http.ts';

/** Sends; where nobody is there yet, or any more, for as long as somebody is about to come. */
export async function sendPatiently(place: ChannelPlace, sent: Sent): Promise<IncomingMessage> {
  const until = performance.now() + place.patienceMs;
  for (;;) {
    const target = await place.target();
    try {
      return await sendToProxy(target.url, { ...sent, headers: { ...target.headers, ...sent.headers } });
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
  return new Error(`${name} broke off; whether it has done what was asked is not known`, { cause });
}

function notThere(name: string, cause: unknown): Error {
  return new Error(`${name} does not answer at its address; \`portolan status ${name}\` says how it is`, {
    cause,
  });
}
