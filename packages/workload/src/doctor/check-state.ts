import { needsSupervisor } from '../run/operations/list/judge-workload.ts';
import { stopWorkloads } from '../run/operations/stop-workloads.ts';
import { isAlive } from '../state/process-identity.ts';
import type { StoredWorkload } from '../state/workload-store.ts';
import type { WorkloadContext } from '../workload-context.ts';
import type { Finding } from './finding.ts';

/** Checks that states are readable and that running workloads have a live supervisor. */
export async function checkState(context: WorkloadContext): Promise<readonly Finding[]> {
  const workloads = await context.store.list();
  const findings: Finding[] = [];
  for (const workload of workloads) {
    findings.push(...findFaults(workload, context), ...(await findDead(workload, context)));
  }
  if (findings.length > 0) return findings;
  const count = workloads.length === 1 ? '1 workload' : `${workloads.length} workloads`;
  return [{ check: 'state', level: 'fine', found: `The state of ${count} is correct.` }];
}

function findFaults({ name, faults }: StoredWorkload, { store }: WorkloadContext): readonly Finding[] {
  if (faults.length === 0) return [];
  return [
    {
      check: 'state',
      level: 'problem',
      found: `Workload ${name}: ${faults.join('; ')}.`,
      remedy: `Restore its files from a backup, or remove it with \`portolan rm ${name}\`. A repair renames the unreadable files.`,
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
      found: `Workload ${name} has the status ${state.status}, but its supervisor is gone.`,
      remedy: `Start it again with \`portolan start ${name}\`. A repair stops its remaining parts.`,
      repair: async (signal) => {
        const [result] = await stopWorkloads([name], context, {}, signal);
        if (result?.error !== undefined) throw result.error;
      },
    },
  ];
}
