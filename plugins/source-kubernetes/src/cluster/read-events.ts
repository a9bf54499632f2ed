import { isJsonObject, type JsonObject } from '@portolan/plugin-api';
import { answerUnusable } from '../errors.ts';

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: JsonObject;
}

const TYPES: readonly unknown[] = ['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR'];

/** Maximum length of an event. An object in etcd has at most 1.5 MiB. */
const MAX_CHARACTERS = 16_777_216;

/** Milliseconds without data after which a watch counts as lost. A server sends a bookmark every minute. */
const SILENCE_MS = 150_000;

/** Yields the events of a watch. `onSilence` should close a connection that was silent for too long. */
export async function* readEvents(
  body: AsyncIterable<Uint8Array>,
  onSilence: () => void,
): AsyncGenerator<WatchEvent, void> {
  const decoder = new TextDecoder();
  const timer = setTimeout(onSilence, SILENCE_MS);
  let rest = '';
  try {
    for await (const chunk of body) {
      timer.refresh();
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > MAX_CHARACTERS) throw answerUnusable('an object without end');
      for (const line of lines) if (line !== '') yield eventOf(line);
    }
  } finally {
    clearTimeout(timer);
  }
}

function eventOf(line: string): WatchEvent {
  const event = parsed(line);
  if (!isJsonObject(event) || !isJsonObject(event['object']) || !TYPES.includes(event['type']))
    throw answerUnusable('something else than events');
  // SAFETY: type and object are checked above.
  return event as unknown as WatchEvent;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
