import type { PortolanError } from '@portolan/plugin-api';
import { createGroup, findGroup } from '../../groups/groups.ts';
import type { WorkloadContext } from '../../workload-context.ts';
import type { ConsentOptions } from '../../consent/require-consent.ts';
import { removeWorkloads } from '../operations/remove-workloads.ts';
import { startAgain } from '../operations/replace-by-itself.ts';
import { WITHOUT_LIMIT_MS, runEach } from '../operations/run-each.ts';
import { startWorkloads } from '../operations/start-workloads.ts';
import type { RunObserver } from '../run-observer.ts';
import type { RunOptions, StartOptions } from '../run-options.ts';
import { runWorkload } from '../run-workload.ts';
import type { ApplyAction, ApplyPlan, PreparedWorkload } from './apply-plan.ts';

/** Maximum number of workloads that `apply` builds or starts at once. */
export const MAX_APPLIES_AT_ONCE = 4;

export interface ApplyOptions
  extends Omit<StartOptions, 'observer' | 'detachEarly' | 'foreground' | 'supervisor'> {
  readonly observerOf: (name: string) => RunObserver;
  /** Whether the user has accepted the plan with its grants. Otherwise, a run that needs a grant fails. */
  readonly acceptsGrants: boolean;
}

/** Result of one workload of a plan. */
export interface AppliedWorkload {
  readonly name: string;
  readonly action: ApplyAction;
  /** Address of a workload that responds. */
  readonly url: string | undefined;
  readonly error: PortolanError | undefined;
  readonly notes: readonly string[];
}

/**
 * Applies a plan: creates groups, runs and starts workloads several at a time, then virtual servers, and removes
 * workloads. Volumes stay. A workload that fails does not stop the others. If its earlier version was running, that
 * version is started again. Rejects only with the reason of the signal.
 */
export async function applyWorkloads(
  { groups, workloads }: ApplyPlan,
  context: WorkloadContext,
  options: ApplyOptions,
  signal: AbortSignal,
): Promise<readonly AppliedWorkload[]> {
  await createGroups(groups, context);
  const results = new Map<string, AppliedWorkload>();
  for (const wave of wavesOf(workloads, options)) {
    const applied = await runEach(
      wave.workloads.map(({ name }) => name),
      async (name, limited) => {
        const workload = workloads.find((one) => one.name === name);
        if (workload === undefined) throw new TypeError('the names are those of the plan');
        return await applyOne(workload, context, options, limited);
      },
      (name, error) => failed(name, workloads, error),
      { what: 'Applying', signal, atOnce: wave.atOnce, limitMs: WITHOUT_LIMIT_MS },
    );
    for (const result of applied) results.set(result.name, result);
  }
  for (const result of await removeLeft(workloads, context, signal)) results.set(result.name, result);
  return workloads.map(
    ({ name, action, error }) => results.get(name) ?? { name, action, url: undefined, error, notes: [] },
  );
}

async function createGroups(groups: readonly string[], context: WorkloadContext): Promise<void> {
  for (const group of groups) {
    if ((await findGroup(group, context)) === undefined) await createGroup(group, context);
  }
}

interface Wave {
  readonly workloads: readonly PreparedWorkload[];
  readonly atOnce: number;
}

/**
 * Divides the workloads into waves, which are applied one after the other: servers in containers; remote servers, one
 * at a time if a user may have to log in at the terminal; and virtual servers, whose members may be in the file.
 */
function wavesOf(workloads: readonly PreparedWorkload[], { observerOf }: ApplyOptions): readonly Wave[] {
  const toRun = workloads.filter(({ action }) => ['create', 'replace', 'start'].includes(action));
  const isVirtual = ({ run }: PreparedWorkload): boolean => run?.virtual_server !== undefined;
  const isRemote = ({ run }: PreparedWorkload): boolean => run?.remote_url !== undefined;
  const isPersonThere = (name: string): boolean => observerOf(name).person?.isThere === true;
  const remote = toRun.filter((one) => isRemote(one) && !isVirtual(one));
  const isAttended = remote.some(({ name }) => isPersonThere(name));
  return [
    { workloads: toRun.filter((one) => !isRemote(one) && !isVirtual(one)), atOnce: MAX_APPLIES_AT_ONCE },
    { workloads: remote, atOnce: isAttended ? 1 : MAX_APPLIES_AT_ONCE },
    { workloads: toRun.filter(isVirtual), atOnce: MAX_APPLIES_AT_ONCE },
  ];
}

async function applyOne(
  workload: PreparedWorkload,
  context: WorkloadContext,
  options: ApplyOptions,
  signal: AbortSignal,
): Promise<AppliedWorkload> {
  const { name, action } = workload;
  const observer = withConsent(options.observerOf(name), workload, options);
  const { program, startTimeoutMs, trust, configFile } = options;
  const start = { program, startTimeoutMs, trust, configFile };
  if (action === 'start') {
    const starting = { ...start, detachEarly: false, foreground: false, restart: false };
    const [result] = await startWorkloads(
      [name],
      context,
      { ...starting, observerOf: () => observer },
      signal,
    );
    return { name, action, url: result?.url, error: result?.error, notes: result?.notes ?? [] };
  }
  const run: RunOptions = {
    ...start,
    observer,
    detachEarly: false,
    foreground: false,
    replace: action === 'replace',
    acceptsLoss: true, // the plan showed the lost protections
    movesGroup: true,
    base: workload.base,
  };
  return await runOne(workload, context, run, signal);
}

async function runOne(
  workload: PreparedWorkload,
  context: WorkloadContext,
  run: RunOptions,
  signal: AbortSignal,
): Promise<AppliedWorkload> {
  const { name, action, request, isRunning } = workload;
  if (request === undefined) throw new TypeError('a workload that is run has a request');
  try {
    // Relative paths begin at the folder of the file, as in the plan.
    const outcome = await runWorkload(request, context, run, signal);
    const url = outcome.outcome === 'ready' ? outcome.url : undefined;
    return { name, action, url, error: undefined, notes: [] };
  } catch (error) {
    const isStopped = isRunning && !(await isAsBefore(workload, context));
    if (isStopped) {
      const unaborted = signal.aborted ? new AbortController().signal : signal;
      await startAgain(name, context, run, unaborted);
    }
    throw error;
  }
}

/** Returns whether the workload still runs, because the run failed before it stopped it. */
async function isAsBefore({ name }: PreparedWorkload, { store }: WorkloadContext): Promise<boolean> {
  return (await store.find(name))?.state?.status === 'running';
}

/**
 * Returns an observer that consents to the grants that the plan showed, if the user accepted the plan. It never asks,
 * because several workloads run at once.
 */
function withConsent(
  observer: RunObserver,
  { grants }: PreparedWorkload,
  { acceptsGrants }: ApplyOptions,
): RunObserver {
  const { ask: _ask, consent: _consent, ...quiet } = observer;
  if (!acceptsGrants) return quiet;
  const shown = new Set(grants.map(({ line }) => line));
  const consent: ConsentOptions['consent'] = async (question) =>
    question.grants.every(({ line }) => shown.has(line)) ? 'once' : 'no';
  return { ...quiet, consent };
}

async function removeLeft(
  workloads: readonly PreparedWorkload[],
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<readonly AppliedWorkload[]> {
  const names = workloads.flatMap(({ name, action }) => (action === 'remove' ? [name] : []));
  const results = await removeWorkloads(names, context, signal);
  return results.map(({ name, error, notes }) => ({ name, action: 'remove', url: undefined, error, notes }));
}

function failed(name: string, workloads: readonly PreparedWorkload[], error: PortolanError): AppliedWorkload {
  const action = workloads.find((one) => one.name === name)?.action ?? 'fails';
  return { name, action, url: undefined, error, notes: [] };
}
