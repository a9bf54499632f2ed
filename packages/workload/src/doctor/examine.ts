import { isPortolanError } from '@portolan/plugin-api';
import type { WorkloadContext } from '../workload-context.ts';
import { checkClients } from './check-clients.ts';
import { checkContainers } from './check-containers.ts';
import { checkDisk } from './check-disk.ts';
import { checkEngine } from './check-engine.ts';
import { checkImages } from './check-images.ts';
import { checkLeftovers } from './check-leftovers.ts';
import { checkNames } from './check-names.ts';
import { checkPorts } from './check-ports.ts';
import { checkState } from './check-state.ts';
import { DOCTOR_CHECKS, type DoctorCheck, type Examined, type Finding } from './finding.ts';

export type Check = (context: WorkloadContext, signal: AbortSignal) => Promise<readonly Finding[]>;

const CHECKS: Readonly<Record<DoctorCheck, Check>> = {
  engine: checkEngine,
  state: checkState,
  containers: checkContainers,
  ports: checkPorts,
  names: checkNames,
  disk: checkDisk,
  leftovers: checkLeftovers,
  clients: checkClients,
  images: checkImages,
};

/** Runs all checks. A check that throws becomes a finding. Rejects only when the signal aborts. */
export async function examine(context: WorkloadContext, signal: AbortSignal): Promise<readonly Finding[]> {
  const findings = await Promise.all(DOCTOR_CHECKS.map((check) => runCheck(check, context, signal)));
  return findings.flat();
}

export async function repairFindings(
  findings: readonly Finding[],
  signal: AbortSignal,
): Promise<readonly Examined[]> {
  const examined: Examined[] = [];
  for (const finding of findings) {
    examined.push(
      finding.repair === undefined
        ? finding
        : { ...finding, repaired: await tryRepair(finding.repair, signal) },
    );
  }
  return examined;
}

async function tryRepair(
  repair: NonNullable<Finding['repair']>,
  signal: AbortSignal,
): Promise<true | string> {
  try {
    await repair(signal);
    return true;
  } catch (error) {
    signal.throwIfAborted();
    return messageOf(error);
  }
}

async function runCheck(
  check: DoctorCheck,
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  try {
    return await CHECKS[check](context, signal);
  } catch (error) {
    signal.throwIfAborted();
    // If the engine is unreachable, only the check `engine` reports that; all other checks stay silent.
    if (check !== 'engine' && isPortolanError(error) && error.code === 'ERR_RUNTIME_UNREACHABLE') return [];
    const remedy = isPortolanError(error) ? error.hint : undefined;
    return [
      { check, level: 'problem', found: messageOf(error), ...(remedy === undefined ? {} : { remedy }) },
    ];
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
