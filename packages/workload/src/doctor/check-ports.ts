import { isPortolanError } from '@portolan/plugin-api';
import { isPortFree } from '../state/choose-port.ts';
import { isAlive } from '../state/process-identity.ts';
import type { StoredWorkload } from '../state/workload-store.ts';
import type { WorkloadContext } from '../workload-context.ts';
import type { Finding } from './finding.ts';

/** Checks that the address and port of each stopped workload are free, so that it can start again. */
export async function checkPorts({ store }: WorkloadContext): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const workload of await store.list()) {
    const finding = await findTaken(workload);
    if (finding !== undefined) findings.push(finding);
  }
  if (findings.length > 0) return findings;
  return [{ check: 'ports', level: 'fine', found: 'No port of a workload is in use by another program.' }];
}

async function findTaken({ name, state, config }: StoredWorkload): Promise<Finding | undefined> {
  if (config === undefined || config.port === 0) return undefined;
  if (state?.supervisor !== undefined && (await isAlive(state.supervisor))) return undefined;
  try {
    if (await isPortFree(config.port, config.host)) return undefined;
  } catch (error) {
    if (!isPortolanError(error) || error.code !== 'ERR_HOST') throw error;
    return {
      check: 'ports',
      level: 'problem',
      found: `Workload ${name} is configured to listen at ${config.host}, which is not an address of this machine.`,
      remedy: `Restore that address, or choose another one with \`portolan change ${name} --host HOST\`.`,
    };
  }
  return {
    check: 'ports',
    level: 'problem',
    found: `Port ${config.port} of workload ${name} is in use by another program.`,
    remedy: `Stop that program, or choose another port with \`portolan change ${name} --proxy-port PORT\`.`,
  };
}
