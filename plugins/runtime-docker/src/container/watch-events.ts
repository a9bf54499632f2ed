import type { IncomingMessage } from 'node:http';
import type { EventOptions, EventSubject, Labels, RuntimeEvent } from '@portolan/plugin-api';
import { delay, engineIsBack } from '../engine/engine-is-back.ts';
import type { EngineClient } from '../engine/engine-client.ts';
import { readJsonLines } from '../engine/json-lines.ts';

/** What the events of one connection are asked for. */
interface EventQuery {
  readonly filters: Readonly<Record<string, readonly string[]>>;
  readonly since: string | undefined;
}

type EngineEvent = Readonly<Record<string, unknown>>;

const NANOS = 1_000_000_000n;
const MILLIS_IN_NANOS = 1_000_000n;
const AGAIN_MS = 100;
/** A new connection asks for this much again; what was told is known. */
const OVERLAP = NANOS;
const REMEMBERED = 1024;

/** Keys among a container's attributes that are no labels of it. */
const NO_LABELS: ReadonlySet<string> = new Set([
  'image',
  'name',
  'exitCode',
  'containerExitCode',
  'signal',
  'execDuration',
  'podId',
]);

/**
 * What happens to containers with these labels, until the signal aborts, which
 * is its only end. A lost connection is made again; then the events since the
 * last one are asked for, none is told twice, and `connected` comes first.
 */
export async function* watchEvents(
  client: EngineClient,
  options: EventOptions,
): AsyncGenerator<RuntimeEvent> {
  const label = Object.entries(options.labels).map(([key, value]) => `${key}=${value}`);
  const filters = { type: ['container'], label };
  const position = new EventPosition(options.since);
  while (!options.signal.aborted) {
    const events = await openEvents(client, { filters, since: position.since }, options.signal);
    if (events === undefined) return;
    position.connectedAt(events.headers.date);
    yield { event: 'connected' };
    for await (const event of untilBroken(events, options.signal)) {
      if (!position.take(event)) continue;
      const told = describeEvent(event);
      // Podman tells events with any of the labels.
      if (told !== undefined && hasLabels(told.labels, options.labels)) yield told;
    }
    await delay(AGAIN_MS, options.signal);
  }
}

/** Connects, as often as it takes; undefined when the signal aborts. The engine is listening when this settles. */
export async function openEvents(
  client: EngineClient,
  { filters, since }: EventQuery,
  signal: AbortSignal,
): Promise<IncomingMessage | undefined> {
  while (!signal.aborted) {
    try {
      const stream = await client.call(
        'tell its events',
        () =>
          client.docker.getEvents({
            filters: JSON.stringify(filters),
            abortSignal: signal,
            ...(since === undefined ? {} : { since }),
          } as object),
        { signal },
      );
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

/** Up to where events were told, so that a new connection neither loses nor repeats one. */
class EventPosition {
  #from: bigint | undefined;
  /** The last events that were told. Two of one moment may come in either order, hence a set and no high-water mark. */
  readonly #told = new Set<string>();

  constructor(since: Date | undefined) {
    this.#from = since === undefined ? undefined : BigInt(since.getTime()) * MILLIS_IN_NANOS;
  }

  /** In the engine's form: seconds, a point, nanoseconds. */
  get since(): string | undefined {
    const from = this.#from;
    return from === undefined ? undefined : `${from / NANOS}.${String(from % NANOS).padStart(9, '0')}`;
  }

  /** The engine's own clock is where the next connection asks from when no event comes. */
  connectedAt(date: string | undefined): void {
    const moment = date === undefined ? Number.NaN : Date.parse(date);
    this.#from ??= BigInt(Number.isNaN(moment) ? Date.now() : moment) * MILLIS_IN_NANOS;
  }

  /** Whether an event is a new one. */
  take(event: EngineEvent): boolean {
    const at = nanoOf(event);
    const key = JSON.stringify([at.toString(), event['Action'], actorOf(event).id]);
    if (this.#told.has(key)) return false;
    this.#told.add(key);
    const [oldest] = this.#told;
    if (this.#told.size > REMEMBERED && oldest !== undefined) this.#told.delete(oldest);
    const from = at - OVERLAP;
    if (this.#from === undefined || from > this.#from) this.#from = from;
    return true;
  }
}

function nanoOf(event: EngineEvent): bigint {
  const { timeNano, time } = event;
  // As a number the last three digits of the nanoseconds are lost, for both of two equal events alike.
  if (typeof timeNano === 'number') return BigInt(timeNano);
  return typeof time === 'number' ? BigInt(time) * NANOS : 0n;
}

interface Actor {
  readonly id: string;
  readonly attributes: Readonly<Record<string, string>>;
}

function actorOf(event: EngineEvent): Actor {
  const actor = event['Actor'];
  if (typeof actor !== 'object' || actor === null) return { id: '', attributes: {} };
  const attributes = 'Attributes' in actor && typeof actor.Attributes === 'object' ? actor.Attributes : {};
  return {
    id: 'ID' in actor ? String(actor.ID) : '',
    attributes: Object.fromEntries(
      Object.entries(attributes ?? {}).map(([key, value]) => [key, String(value)]),
    ),
  };
}

function hasLabels(found: Labels, wanted: Labels): boolean {
  return Object.entries(wanted).every(([key, value]) => found[key] === value);
}

function describeEvent(event: EngineEvent): (RuntimeEvent & EventSubject) | undefined {
  const { id, attributes } = actorOf(event);
  const subject: EventSubject = {
    container: id,
    name: attributes['name'] ?? '',
    labels: Object.fromEntries(Object.entries(attributes).filter(([key]) => !NO_LABELS.has(key))),
    at: new Date(Number(nanoOf(event) / MILLIS_IN_NANOS)),
  };
  switch (event['Action'] ?? event['status']) {
    case 'start':
      return { event: 'started', ...subject };
    case 'oom':
      return { event: 'out-of-memory', ...subject };
    case 'die':
    case 'died':
      return {
        event: 'exited',
        exitCode: Number(attributes['exitCode'] ?? attributes['containerExitCode'] ?? 0),
        ...subject,
      };
    case 'destroy':
    case 'remove':
      return { event: 'removed', ...subject };
    default:
      return undefined;
  }
}
