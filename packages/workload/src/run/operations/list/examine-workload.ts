import type { HostedServerDescription } from '@portolan/plugin-api';
import { textOf } from '@portolan/run-spec';
import { ownLabels, roleOf, WORKLOAD_LABELS } from '../../../state/workload-labels.ts';
import { mayHaveContainers } from '../../../state/member-config.ts';
import { isAlive } from '../../../state/process-identity.ts';
import type { WorkloadState } from '../../../state/workload-state.ts';
import type { StoredWorkload } from '../../../state/workload-store.ts';
import type { WorkloadContext } from '../../../workload-context.ts';
import { type JudgedStatus, judgeWorkload, needsSupervisor, type WorkloadFacts } from './judge-workload.ts';
import { type ProbedHealth, probeHealth } from './probe-health.ts';

export interface ExaminedWorkload {
  readonly stored: StoredWorkload;
  readonly isSupervised: boolean;
  readonly health: ProbedHealth | undefined;
  readonly judged: JudgedStatus;
}

export type EngineView = { readonly containers: readonly SeenServer[] } | { readonly fault: string };

export interface SeenServer
  extends Pick<HostedServerDescription, 'labels' | 'image' | 'running' | 'createdAt'> {
  readonly sort: 'container' | 'server';
}

const PROBE_MS = 1000;
const ENGINE_MS = 5000;

/**
 * Checks the processes of a workload. Queries `engine` only for facts that the files and the proxy do not
 * show.
 */
async function examineWorkload(
  stored: StoredWorkload,
  engine: () => Promise<EngineView>,
  signal: AbortSignal | undefined,
): Promise<ExaminedWorkload> {
  const { state, config, supervisor, faults } = stored;
  const isSupervised = supervisor !== undefined && (await isAlive(supervisor));
  const health =
    state !== undefined && isSupervised && state.url !== ''
      ? await probeHealth(state.url, { instance: state.instance, timeoutMs: PROBE_MS, signal })
      : undefined;
  const remote = !mayHaveContainers(config);
  const isLeft = state !== undefined && needsSupervisor(state.status) && !isSupervised;
  const facts: WorkloadFacts = {
    state,
    faults,
    isSupervised,
    health,
    remote,
    isContainerRunning: isLeft && !remote ? serverRuns(stored.name, await engine()) : undefined,
  };
  return { stored, isSupervised, health, judged: judgeWorkload(facts) };
}

function serverRuns(name: string, view: EngineView): boolean | undefined {
  if (!('containers' in view)) return undefined;
  return view.containers.some(
    ({ labels, running }) => labels[WORKLOAD_LABELS.name] === name && roleOf(labels) !== 'gateway' && running,
  );
}

/** Returns a function that queries the engine once, on first use. */
export function lookAtEngine(
  context: Pick<WorkloadContext, 'kinds' | 'directories'>,
  signal: AbortSignal | undefined,
): () => Promise<EngineView> {
  let view: Promise<EngineView> | undefined;
  return () => {
    view ??= readEngine(context, signal);
    return view;
  };
}

async function readEngine(
  { kinds, directories }: Pick<WorkloadContext, 'kinds' | 'directories'>,
  signal: AbortSignal | undefined,
): Promise<EngineView> {
  const limit = AbortSignal.any([AbortSignal.timeout(ENGINE_MS), ...(signal === undefined ? [] : [signal])]);
  try {
    const runtime = await kinds.openRuntime();
    const labels = ownLabels(undefined, directories);
    if (runtime.runs === 'workloads') {
      const servers = await runtime.host.listServers(labels, limit);
      return { containers: servers.map((server) => ({ ...server, sort: 'server' })) };
    }
    const containers = await runtime.engine.listContainers(labels, limit);
    return {
      containers: containers.map((one) => ({ ...one, running: one.state.running, sort: 'container' })),
    };
  } catch (error) {
    signal?.throwIfAborted();
    return { fault: textOf(error) };
  }
}

/**
 * Examines a workload and corrects its stored status when no supervisor runs. After a concurrent change,
 * examines it once more. Returns undefined when the workload no longer exists.
 */
export async function examineAndKeep(
  stored: StoredWorkload,
  engine: () => Promise<EngineView>,
  context: WorkloadContext,
  signal: AbortSignal | undefined,
): Promise<ExaminedWorkload | undefined> {
  const examined = await examineWorkload(stored, engine, signal);
  const { state } = stored;
  if (state === undefined || examined.isSupervised || state.status === examined.judged.status)
    return examined;
  const now = await context.store.find(stored.name);
  if (now === undefined) return undefined;
  if (now.state?.updatedAt.getTime() !== state.updatedAt.getTime()) {
    return await examineWorkload(now, engine, signal);
  }
  await keepJudgement(examined, state, context);
  await takeFromClients(stored.name, context);
  return examined;
}

async function takeFromClients(name: string, context: WorkloadContext): Promise<void> {
  const { removeFromClientFiles } = await import('../../../clients/announce-to-clients.ts');
  for (const warning of await removeFromClientFiles(name, context)) {
    context.logger.warn({ workload: name }, warning);
  }
}

async function keepJudgement(
  { stored, judged }: ExaminedWorkload,
  state: WorkloadState,
  { store, logger }: Pick<WorkloadContext, 'store' | 'logger'>,
): Promise<void> {
  try {
    await store.change(stored.name, (now) => {
      const isSame = now.updatedAt.getTime() === state.updatedAt.getTime();
      return isSame ? { ...now, status: judged.status, statusContext: judged.context } : now;
    });
  } catch (error) {
    // A failed write is ignored, because listing workloads must also work on a full disk and during a
    // removal.
    logger.debug({ err: error, workload: stored.name }, 'a corrected status could not be written');
  }
}
