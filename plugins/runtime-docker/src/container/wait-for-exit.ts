import { isPortolanError } from '@portolan/plugin-api';
import type { ContainerState } from '@portolan/plugin-api';
import type { EngineClient } from '../engine/engine-client.ts';
import { delay, engineIsBack } from '../engine/engine-is-back.ts';
import { inspectContainer } from './container-calls.ts';
import { openEvents, untilBroken } from './engine-events.ts';

const ENDS: ReadonlySet<unknown> = new Set(['die', 'died', 'destroy', 'remove']);
const FIRST_LOOK_MS = 1000;
const MAX_LOOK_MS = 32_000;
const AGAIN_MS = 100;
/** Maximum number of consecutive errors before the wait fails. The pauses between attempts grow. */
const MAX_REFUSALS = 6;
/** Exit code of a process killed by SIGKILL, which the kernel sends when memory is exhausted. */
const KILLED = 137;
/** Maximum number of further inspections of a container that was killed. */
const MAX_KILLED_LOOKS = 5;

/**
 * Returns the state of a container once it is not running; undefined when it is gone. The engine's `wait`
 * never responds after a restart of the engine. This function therefore inspects the container after each
 * event, after each lost connection, and regularly. Rejects after six consecutive failures.
 */
export async function waitForExit(
  client: EngineClient,
  container: string,
  signal: AbortSignal = new AbortController().signal,
): Promise<ContainerState | undefined> {
  const filters = { type: ['container'], container: [container] };
  let lookAgainMs = FIRST_LOOK_MS;
  let refusals = 0;
  for (;;) {
    signal.throwIfAborted();
    const round = new AbortController();
    const both = AbortSignal.any([signal, round.signal]);
    try {
      // Subscribes to events first, so that an exit before the inspection is not missed.
      const events = await openEvents(client, filters, both);
      const match = await inspectContainer(client, container, signal);
      if (match === undefined) return undefined;
      if (!match.state.running) return await withLateReason(client, container, match.state, signal);
      if (events !== undefined) await Promise.race([anEnd(events, both), delay(lookAgainMs, both)]);
      refusals = 0;
      lookAgainMs = Math.min(lookAgainMs * 2, MAX_LOOK_MS);
    } catch (error) {
      signal.throwIfAborted();
      if (!isPortolanError(error)) throw error;
      if (error.code === 'ERR_RUNTIME_UNREACHABLE') await engineIsBack(client.connection, signal);
      else if ((refusals += 1) === MAX_REFUSALS) throw error;
      await delay(AGAIN_MS * 2 ** refusals, signal);
    } finally {
      round.abort();
    }
  }
}

/** Resolves on an event that may be the end of the container, or soon after the event connection breaks. */
async function anEnd(events: Parameters<typeof untilBroken>[0], signal: AbortSignal): Promise<void> {
  for await (const event of untilBroken(events, signal)) {
    if (ENDS.has(event['Action'] ?? event['status'])) return;
  }
  await delay(AGAIN_MS, signal);
}

/**
 * Returns the state of a stopped container once it is known whether memory ran out. Docker receives the exit
 * and the out-of-memory event in either order. It therefore inspects a container that SIGKILL ended again for
 * up to half a second.
 */
async function withLateReason(
  client: EngineClient,
  container: string,
  first: ContainerState,
  signal: AbortSignal,
): Promise<ContainerState> {
  let state = first;
  for (let look = 0; look < MAX_KILLED_LOOKS; look += 1) {
    if (state.exitCode !== KILLED || state.outOfMemory) break;
    await delay(AGAIN_MS, signal);
    const match = await inspectContainer(client, container, signal);
    if (match === undefined || match.state.running) break;
    ({ state } = match);
  }
  return state;
}
