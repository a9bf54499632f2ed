import { unreachable } from '@portolan/run-spec';
import type { WorkloadState, WorkloadStatus } from '../../../state/workload-state.ts';
import type { ProbedHealth } from './probe-health.ts';

export interface WorkloadFacts {
  readonly state: WorkloadState | undefined;
  readonly faults: readonly string[];
  readonly isSupervised: boolean;
  /** Result of the proxy's health check; undefined when the proxy was not queried. */
  readonly health: ProbedHealth | undefined;
  /** Whether the server's container runs; undefined when unknown. */
  readonly isContainerRunning: boolean | undefined;
  readonly remote: boolean;
}

export interface JudgedStatus {
  readonly status: WorkloadStatus;
  readonly context: string;
}

const SUPERVISED: readonly WorkloadStatus[] = [
  'starting',
  'running',
  'idle',
  'stopping',
  'unhealthy',
  'unauthenticated',
  'auth_retrying',
  'waiting',
];

export function needsSupervisor(status: WorkloadStatus): boolean {
  return SUPERVISED.includes(status);
}

/** Returns the stored status of a workload, corrected by the checked facts. Pure. */
export function judgeWorkload(facts: WorkloadFacts): JudgedStatus {
  const { state, faults, isSupervised, health } = facts;
  if (state === undefined) {
    const running = isSupervised ? '; its supervisor runs' : '';
    return { status: 'unknown', context: `${faults.join('; ')}${running}` };
  }
  const judged =
    needsSupervisor(state.status) && !isSupervised ? judgeLeft(state, facts) : judgeProbe(state, health);
  return faults.length === 0
    ? judged
    : { ...judged, context: [judged.context, ...faults].filter(Boolean).join('; ') };
}

function judgeLeft(state: WorkloadState, { isContainerRunning, remote }: WorkloadFacts): JudgedStatus {
  if (state.status === 'starting') return { status: 'error', context: 'its start was interrupted' };
  if (state.status === 'stopping') {
    return isContainerRunning === true
      ? { status: 'unhealthy', context: 'its stop was interrupted, and its container still runs' }
      : { status: 'stopped', context: '' };
  }
  return {
    status: 'unhealthy',
    context: `its supervisor is gone${containerText(isContainerRunning, remote)}`,
  };
}

function containerText(isRunning: boolean | undefined, remote: boolean): string {
  if (remote || isRunning === undefined) return '; `portolan start` starts it again';
  return isRunning
    ? ', its container still runs; `portolan start` takes it over'
    : ', and so is its container; `portolan start` starts it again';
}

function judgeProbe(state: WorkloadState, health: ProbedHealth | undefined): JudgedStatus {
  const recorded = { status: state.status, context: state.statusContext };
  if (health === undefined || !['running', 'idle', 'unhealthy'].includes(state.status)) return recorded;
  switch (health.outcome) {
    case 'own':
      if (state.status === 'idle') return recorded;
      if (health.status !== 'unhealthy') return { status: 'running', context: '' };
      return {
        status: 'unhealthy',
        context: health.why || state.statusContext || 'its server does not respond',
      };
    case 'foreign':
      return { status: 'unhealthy', context: 'another program listens at its address' };
    case 'none':
      return {
        status: 'unhealthy',
        context: state.statusContext || `its proxy does not respond: ${health.why}`,
      };
    default:
      return unreachable(health);
  }
}
