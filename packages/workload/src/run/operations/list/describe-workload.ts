import { namedCredentials, protectionsOf } from '@portolan/run-spec';
import { describeLogin, type LoginDescription } from '../../../login/describe-login.ts';
import type { WorkloadContext } from '../../../workload-context.ts';
import { describeMembers, type MemberDescription } from './describe-members.ts';
import { examineAndKeep, type ExaminedWorkload, lookAtEngine } from './examine-workload.ts';
import { listingOf } from './listing-of.ts';
import { listWorkloads } from './list-workloads.ts';
import type { WorkloadListing } from './workload-listing.ts';

export interface WorkloadDescription extends WorkloadListing {
  /** Health that the proxy reports; `unknown` when it does not respond. */
  readonly health: 'healthy' | 'degraded' | 'unhealthy' | 'unknown';
  /** Uptime in seconds; undefined when the workload does not run. */
  readonly uptime_seconds: number | undefined;
  /** Uptime such as `2d 3h 4m`; empty when the workload does not run. */
  readonly uptime: string;
  readonly protections: readonly string[];
  readonly login: LoginDescription | undefined;
  /** Kind of credentials that the proxy sends to a remote server. */
  readonly credentials: string | undefined;
  /** Problem of the server and what to do about it; empty when there is no problem. */
  readonly notice: string;
  /** Members of a virtual server in their order; undefined for other workloads. */
  readonly members: readonly MemberDescription[] | undefined;
}

/**
 * Returns the verified status of a workload. Also describes a workload that has only containers on the engine
 * and no files. Throws ERR_WORKLOAD_UNKNOWN.
 */
export async function describeWorkload(
  name: string,
  context: WorkloadContext,
  signal?: AbortSignal,
): Promise<WorkloadDescription> {
  const stored = await context.store.find(name);
  const engine = lookAtEngine(context, signal);
  const examined = stored && (await examineAndKeep(stored, engine, context, signal));
  if (examined === undefined) return await describeOrphan(name, context, signal);
  const seconds = uptimeOf(examined, context.clock());
  return {
    ...listingOf(examined),
    health: healthOf(examined),
    uptime_seconds: seconds,
    uptime: seconds === undefined ? '' : formatUptime(seconds),
    protections: examined.stored.config === undefined ? [] : protectionsOf(examined.stored.config),
    login:
      examined.stored.config === undefined
        ? undefined
        : describeLogin(examined.stored.config, examined.stored.state?.missingScopes),
    credentials:
      examined.stored.config === undefined ? undefined : namedCredentials(examined.stored.config)?.type,
    notice: examined.stored.state?.notice ?? '',
    members: describeMembers(examined.stored, examined.isSupervised),
  };
}

async function describeOrphan(
  name: string,
  context: WorkloadContext,
  signal: AbortSignal | undefined,
): Promise<WorkloadDescription> {
  const { workloads } = await listWorkloads(context, { all: true }, signal);
  const orphan = workloads.find((workload) => workload.name === name);
  if (orphan === undefined) throw await context.store.unknown(name);
  return {
    ...orphan,
    health: 'unknown',
    uptime_seconds: undefined,
    uptime: '',
    protections: [],
    login: undefined,
    credentials: undefined,
    notice: '',
    members: undefined,
  };
}

function healthOf({ health }: ExaminedWorkload): WorkloadDescription['health'] {
  return health?.outcome === 'own' ? health.status : 'unknown';
}

function uptimeOf({ stored, isSupervised }: ExaminedWorkload, now: Date): number | undefined {
  const started = stored.state?.startedAt;
  if (!isSupervised || started === undefined) return undefined;
  return Math.max(0, Math.round((now.getTime() - started.getTime()) / 1000));
}

/** Returns a duration such as `2d 3h 4m`, or in seconds below a minute. */
function formatUptime(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < 60) return `${whole}s`;
  const parts = [
    [Math.floor(whole / 86_400), 'd'],
    [Math.floor(whole / 3600) % 24, 'h'],
    [Math.floor(whole / 60) % 60, 'm'],
  ] as const;
  const first = parts.findIndex(([amount]) => amount > 0);
  return parts
    .slice(first)
    .map(([amount, unit]) => `${amount}${unit}`)
    .join(' ');
}
