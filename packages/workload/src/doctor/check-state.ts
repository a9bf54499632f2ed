import { needsSupervisor } from '../run/operations/list/judge-workload.ts';
import { stopWorkloads } from '../run/operations/stop-workloads.ts';
import { isAlive } from '../state/process-identity.ts';
import type { StoredWorkload } from '../state/workload-store.ts';
import type { WorkloadContext } from '../workload-context.ts';
import type { Finding } from './finding.ts';

/**
 * Checks that the state of each workload is readable, and that each workload marked as running has a live
 * supervisor.
 */
export async function checkState(context: WorkloadContext): Promise<readonly Finding[]> {
  const workloads = await context.store.list();
  const findings: Finding[] = [];
  for (const workload of workloads) {
    findings.push(...findFaults(workload, context), ...(await findDead(workload, context)));
  }
  if (findings.length > 0) return findings;
  const count = workloads.length === 1 ? '1 workload is' : `${workloads.length} workloads are`;
  return [{ check: 'state', level: 'fine', found: `${count} as remembered.` }];
}

function findFaults({ name, faults }: StoredWorkload, { store }: WorkloadContext): readonly Finding[] {
  if (faults.length === 0) return [];
  return [
    {
      check: 'state',
      level: 'problem',
      found: `Workload ${name}: ${faults.join('; ')}.`,
      remedy: `Restore its files from a copy, or remove it: portolan rm ${name}. A repair renames what cannot be read.`,
      repair: async () => {
        await store.setAside(name);
      },
    },
  ];
}

async function findDead(
  { name, state }: StoredWorkload,
  context: WorkloadContext,
): Promise<readonly Finding[]> {
  if (state === undefined || !needsSupervisor(state.status)) return [];
  if (state.supervisor !== undefined && (await isAlive(state.supervisor))) return [];
  return [
    {
      check: 'state',
      level: 'problem',
      found: `Workload ${name} is said to be ${state.status}, but its supervisor is gone.`,
      remedy: `Start it again: portolan start ${name}. A repair stops what is left of it.`,
      repair: async (signal) => {
        const [result] = await stopWorkloads([name], context, {}, signal);
        if (result?.error !== undefined) throw result.error;
      },
    },
  ];
}
