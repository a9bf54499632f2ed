import { namedCredentials, protectionsOf } from '@portolan/run-spec';
import { describeLogin, type LoginDescription } from '../../../login/describe-login.ts';
import type { WorkloadContext } from '../../../workload-context.ts';
import { examineAndKeep, type ExaminedWorkload, lookAtEngine } from './examine-workload.ts';
import { formatUptime } from './format-uptime.ts';
import { listingOf } from './listing-of.ts';
import { listWorkloads } from './list-workloads.ts';
import type { WorkloadListing } from './workload-listing.ts';

/** One workload as `status` shows it. */
export interface WorkloadDescription extends WorkloadListing {
  /** What its `/health` says; `unknown` when nobody answers there. */
  readonly health: 'healthy' | 'degraded' | 'unhealthy' | 'unknown';
  /** Seconds since the start; undefined when it does not run. */
  readonly uptime_seconds: number | undefined;
  /** The same for people and for scripts of other tools: `2d 3h 4m`; empty when it does not run. */
  readonly uptime: string;
  /** What stands between callers and the server, in words; empty when nothing does. */
  readonly protections: readonly string[];
  /** Of a remote server that somebody is logged in to. */
  readonly login: LoginDescription | undefined;
  /** The kind that proves to a remote server who asks, where its run config names one; undefined otherwise. */
  readonly credentials: string | undefined;
  /** What the server could not do, and what helps; empty when there is nothing to say. */
  readonly notice: string;
}

/**
 * One workload as it really is; one of which the engine alone knows, too.
 * Throws ERR_WORKLOAD_UNKNOWN.
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
  };
}

function healthOf({ health }: ExaminedWorkload): WorkloadDescription['health'] {
  return health?.answer === 'own' ? health.status : 'unknown';
}

function uptimeOf({ stored, isSupervised }: ExaminedWorkload, now: Date): number | undefined {
  const started = stored.state?.startedAt;
  if (!isSupervised || started === undefined) return undefined;
  return Math.max(0, Math.round((now.getTime() - started.getTime()) / 1000));
}
