import type { IncomingMessage } from 'node:http';
import { engineIsBack } from '../engine/engine-is-back.ts';
import type { EngineClient } from '../engine/engine-client.ts';
import { readJsonLines } from '../engine/json-lines.ts';

type EngineEvent = Readonly<Record<string, unknown>>;

/** Connects to the engine's events, as often as it takes; undefined when the signal aborts. The engine is listening when this settles. */
export async function openEvents(
  client: EngineClient,
  filters: Readonly<Record<string, readonly string[]>>,
  signal: AbortSignal,
): Promise<IncomingMessage | undefined> {
  while (!signal.aborted) {
    try {
      const options: object = { filters: JSON.stringify(filters), abortSignal: signal };
      const stream = await client.call('tell its events', () => client.docker.getEvents(options), { signal });
      return stream as IncomingMessage; // what node:http gives; dockerode's types know its base only
    } catch (error) {
      if (signal.aborted) return undefined;
      if (!isUnreachable(error)) throw error;
      await engineIsBack(client.connection, signal);
    }
  }
  return undefined;
}

function isUnreachable(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_RUNTIME_UNREACHABLE';
}

/** Events until the connection ends, however it does. */
export async function* untilBroken(
  stream: IncomingMessage,
  signal: AbortSignal,
): AsyncGenerator<EngineEvent> {
  const stop = (): void => void stream.destroy();
  signal.addEventListener('abort', stop, { once: true });
  try {
    if (signal.aborted) stop();
    yield* readJsonLines(stream);
  } catch (error) {
    // A broken connection has a code, half a line is no JSON: both are the end of this connection, not of the watch.
    if (!(error instanceof SyntaxError || (error instanceof Error && 'code' in error) || signal.aborted))
      throw error;
  } finally {
    signal.removeEventListener('abort', stop);
    stream.destroy();
  }
}
