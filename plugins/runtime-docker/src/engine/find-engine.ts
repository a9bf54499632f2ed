import { engineUnreachable, noEngineFound } from '../errors.ts';
import { showEngineAddress } from './engine-address.ts';
import type { EngineCandidate, EngineContext } from './engine-candidates.ts';
import { namedEngine, usualEngines } from './engine-candidates.ts';
import type { EngineConnection } from './engine-connection.ts';
import { engineConnection, pingEngine } from './engine-connection.ts';
import { isPermissionError, unreachableReason } from './engine-fault.ts';

export interface ReachableEngine {
  readonly connection: EngineConnection;
  readonly address: string;
  readonly from: string;
  /** Whether the engine is Podman; undefined if its ping response does not show it. */
  readonly podman: boolean | undefined;
}

type EngineLocation = Omit<ReachableEngine, 'podman'>;

const PING_MS = 3000;
const SSH_PING_MS = 35_000;

/**
 * Returns the explicitly configured engine, or the first default location that responds. Throws
 * ERR_RUNTIME_UNREACHABLE with all locations that were tried.
 */
export async function findEngine(
  context: EngineContext,
  configured: string | undefined,
  signal?: AbortSignal,
): Promise<ReachableEngine> {
  const named = await namedEngine(context, configured);
  if (named !== undefined) {
    const place = describe(named);
    const tried = await tryEngine(place, signal);
    if ('failure' in tried) throw engineUnreachable(place, unreachableReason(tried.failure), tried.failure);
    return tried;
  }
  const tried: string[] = [];
  let permissionDenied = false;
  for (const candidate of await usualEngines(context)) {
    const place = describe(candidate);
    const engine = await tryEngine(place, signal);
    if (!('failure' in engine)) return engine;
    permissionDenied ||= isPermissionError(engine.failure);
    tried.push(`${place.address} (${place.from}): ${unreachableReason(engine.failure)}`);
  }
  throw noEngineFound(tried, permissionDenied);
}

function describe(candidate: EngineCandidate): EngineLocation {
  return {
    connection: engineConnection(candidate.address),
    address: showEngineAddress(candidate.address),
    from: candidate.from,
  };
}

/** Returns the engine if it responds, otherwise the reason as text. */
async function tryEngine(
  place: EngineLocation,
  signal: AbortSignal | undefined,
): Promise<ReachableEngine | { readonly failure: unknown }> {
  const { connection } = place;
  const limit = AbortSignal.timeout(connection.address.over === 'ssh' ? SSH_PING_MS : PING_MS);
  try {
    const timed = signal === undefined ? limit : AbortSignal.any([signal, limit]);
    const { podman } = await pingEngine(connection, timed);
    return { ...place, podman };
  } catch (error) {
    signal?.throwIfAborted();
    return { failure: limit.aborted ? limit.reason : error };
  }
}
