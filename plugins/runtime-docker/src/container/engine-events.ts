import type { IncomingMessage } from 'node:http';
import { engineIsBack } from '../engine/engine-is-back.ts';
import type { EngineClient } from '../engine/engine-client.ts';
import { readJsonLines } from '../engine/json-lines.ts';

type EngineEvent = Readonly<Record<string, unknown>>;

/**
 * Connects to the engine's event stream, with retries. Returns undefined when the signal aborts. The stream
 * has every event after this function resolves.
 */
export async function openEvents(
  client: EngineClient,
  filters: Readonly<Record<string, readonly string[]>>,
  signal: AbortSignal,
): Promise<IncomingMessage | undefined> {
  while (!signal.aborted) {
    try {
      const options: object = { filters: JSON.stringify(filters), abortSignal: signal };
      const stream = await client.call('tell its events', () => client.docker.getEvents(options), { signal });
      return stream as IncomingMessage; // dockerode types node:http's stream by its base class only
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

/** Yields events until the connection ends for any reason. */
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
    // A broken connection has an error code, and a partial line is invalid JSON. Both end this connection;
    // the caller opens the next one.
    if (!(error instanceof SyntaxError || (error instanceof Error && 'code' in error) || signal.aborted))
      throw error;
  } finally {
    signal.removeEventListener('abort', stop);
    stream.destroy();
  }
}
