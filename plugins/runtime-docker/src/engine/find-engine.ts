import { engineUnreachable, noEngineFound } from '../errors.ts';
import { showEngineAddress } from './engine-address.ts';
import type { EngineCandidate, EngineSurroundings } from './engine-candidates.ts';
import { namedEngine, usualEngines } from './engine-candidates.ts';
import type { EngineConnection } from './engine-connection.ts';
import { engineConnection, pingEngine } from './engine-connection.ts';
import { isPermissionError, unreachableReason } from './engine-fault.ts';

export interface FoundEngine {
  readonly connection: EngineConnection;
  readonly address: string;
  readonly from: string;
}

const PING_MS = 3000;
const SSH_PING_MS = 35_000;

/**
 * Finds the engine to use: the one that is named, or else the first usual
 * place that answers. Throws ERR_RUNTIME_UNREACHABLE that lists what was tried.
 */
export async function findEngine(
  surroundings: EngineSurroundings,
  configured: string | undefined,
  signal?: AbortSignal,
): Promise<FoundEngine> {
  const named = await namedEngine(surroundings, configured);
  if (named !== undefined) {
    const found = describe(named);
    const failure = await tryEngine(found.connection, signal);
    if (failure !== undefined) throw engineUnreachable(found, unreachableReason(failure), failure);
    return found;
  }
  const tried: string[] = [];
  let permissionDenied = false;
  for (const candidate of await usualEngines(surroundings)) {
    const found = describe(candidate);
    const failure = await tryEngine(found.connection, signal);
    if (failure === undefined) return found;
    permissionDenied ||= isPermissionError(failure);
    tried.push(`${found.address} (${candidate.from}): ${unreachableReason(failure)}`);
  }
  throw noEngineFound(tried, permissionDenied);
}

function describe(candidate: EngineCandidate): FoundEngine {
  return {
    connection: engineConnection(candidate.address),
    address: showEngineAddress(candidate.address),
    from: candidate.from,
  };
}

/** Undefined when the engine answers, else why it does not. */
async function tryEngine(connection: EngineConnection, signal: AbortSignal | undefined): Promise<unknown> {
  const limit = AbortSignal.timeout(connection.address.over === 'ssh' ? SSH_PING_MS : PING_MS);
  try {
    await pingEngine(connection, signal === undefined ? limit : AbortSignal.any([signal, limit]));
    return undefined;
  } catch (error) {
    signal?.throwIfAborted();
    return limit.aborted ? limit.reason : error;
  }
}
