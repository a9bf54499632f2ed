import { isPortolanError, type PortolanError } from '@portolan/plugin-api';
import { isVirtualServer, type RunConfig } from '@portolan/run-spec';
import { logFilesOf } from '../../state/log-files.ts';
import type { SupervisedEnd } from '../../supervisor/process/supervised-end.ts';
import type { StepUp } from '../../supervisor/supervision.ts';
import type { ReportListener, SupervisorOrder } from '../../supervisor/supervisor-order.ts';
import { SupervisorProcess } from '../../supervisor/supervisor-process.ts';
import type { WorkloadContext } from '../../workload-context.ts';
import type { MissingPart } from '../../supervisor/process/missing-part.ts';
import { workloadFailed } from '../run-errors.ts';
import type { RunObserver } from '../run-observer.ts';
import type { RunOutcome, StartOptions } from '../run-options.ts';
import { explainFailure } from './explain-failure.ts';
import type { SecretValues } from './run-secrets.ts';

export interface BringUpRequest {
  readonly config: RunConfig;
  readonly values: SecretValues & Pick<SupervisorOrder, 'login' | 'members'>;
}

/**
 * Gives the workload to a supervisor and waits until the server responds; in the foreground, until the
 * container ends. Rejects with the supervisor's error and the container's last output, or with the reason of
 * the signal. When it rejects, the supervisor has exited.
 */
export async function bringUp(
  { config, values }: BringUpRequest,
  context: WorkloadContext,
  options: StartOptions,
  signal: AbortSignal,
): Promise<RunOutcome> {
  const { foreground } = options;
  const order = orderOf({ config, values }, context, options);
  return await explainFailures(config, context, options, signal, async (onReport) =>
    foreground
      ? await superviseHere(order, context, options, onReport, signal)
      : await launch(order, context, options, onReport, signal),
  );
}

/** Returns the order for the supervisor of a workload. */
export function orderOf(
  { config, values }: BringUpRequest,
  context: WorkloadContext,
  { startTimeoutMs, foreground }: Pick<StartOptions, 'startTimeoutMs' | 'foreground'>,
): SupervisorOrder {
  return { name: config.name, ...values, ...storePasswordFor(config, context), startTimeoutMs, foreground };
}

/** Runs a start with a listener for its reports, and adds the last output of the server to its errors. */
export async function explainFailures<Result>(
  config: RunConfig,
  context: WorkloadContext,
  { foreground, observer }: Pick<StartOptions, 'foreground' | 'observer'>,
  signal: AbortSignal,
  start: (onReport: ReportListener) => Promise<Result>,
): Promise<Result> {
  observer.step('start', `Starting ${config.name}`);
  const heard: Heard = { lastLines: [] };
  try {
    return await start(tell(observer, heard));
  } catch (error) {
    if (signal.aborted || !isPortolanError(error)) throw error;
    const { lastLines, missing } = heard;
    throw workloadFailed(error, lastLines, {
      exitStatus: foreground ? exitStatusOf(error) : undefined,
      cause: missing === undefined ? undefined : await explainFailure(missing, config, context, signal),
    });
  }
}

/**
 * Returns the password of the secret store for the supervisor's order. Only a remote workload gets the
 * password, because only its supervisor renews a login, and a virtual server, which may have remote members.
 */
function storePasswordFor(
  config: RunConfig,
  { storePassword }: WorkloadContext,
): Pick<SupervisorOrder, 'storePassword'> {
  const needsStore = config.remote_url !== '' || isVirtualServer(config);
  const password = needsStore ? storePassword?.() : undefined;
  return password === undefined ? {} : { storePassword: password };
}

/**
 * Returns the exit status of a failed server. Returns undefined for status 0, because a command that fails
 * must not exit with 0.
 */
function exitStatusOf(error: PortolanError): number | undefined {
  return 'exitCode' in error && typeof error.exitCode === 'number' && error.exitCode > 0
    ? error.exitCode
    : undefined;
}

interface Heard {
  lastLines: readonly string[];
  missing?: MissingPart | undefined;
}

function tell(observer: RunObserver, heard: Heard): ReportListener {
  return (report) => {
    if (report.report === 'step') observer.step('start', report.text);
    else if (report.report === 'warning') observer.warn(report.text);
    else if (report.report === 'note') observer.note(report.text);
    else if (report.report === 'output') observer.output?.(report.text);
    else if (report.report === 'ready') observer.ready(report);
    else if (report.report === 'failed') {
      heard.lastLines = report.lastLines;
      heard.missing = report.missing;
    }
  };
}

async function launch(
  order: SupervisorOrder,
  context: WorkloadContext,
  { program, configFile, detachEarly, supervisor: started }: StartOptions,
  onReport: ReportListener,
  signal: AbortSignal,
): Promise<RunOutcome> {
  const { name } = order;
  const { directories, environment } = context;
  // A second attempt, after a taken port, needs a new supervisor process.
  const supervisor =
    started?.isIdle === true
      ? started
      : new SupervisorProcess({ program, environment, configFile, isDebug: context.isDebug });
  const logFile = logFilesOf(name, directories).supervisor;
  const launched = await supervisor.launch(order, { logFile, onReport, signal });
  if (!detachEarly) return { outcome: 'ready', name, ...(await launched.ready) };
  launched.release();
  return { outcome: 'launched', name };
}

async function superviseHere(
  order: SupervisorOrder,
  context: WorkloadContext,
  { observer }: StartOptions,
  onReport: ReportListener,
  signal: AbortSignal,
): Promise<RunOutcome> {
  const { superviseWorkload } = await import('../../supervisor/supervise-workload.ts');
  const stepUp = observer.person?.isThere === true ? stepUpOf(order, context, observer, signal) : undefined;
  const { changeMembers } = await import('../members/change-members.ts');
  const end = await superviseWorkload(order, context, onReport, signal, { stepUp, changeMembers });
  signal.throwIfAborted();
  if (end.how === 'removed')
    observer.warn(`The ${end.what} of ${order.name} was removed by another program.`);
  return { outcome: 'ended', name: order.name, exitCode: exitCodeOf(end) };
}

function stepUpOf(
  { name }: SupervisorOrder,
  context: WorkloadContext,
  observer: RunObserver,
  signal: AbortSignal,
): StepUp {
  return async (scopes) => {
    const { logInAgain } = await import('../../login/log-in-again.ts');
    observer.note(`The remote server requires more scopes: ${scopes.join(' ')}.`);
    await logInAgain(name, context, observer, signal, scopes);
  };
}

/**
 * Returns the exit status of an ended container; 0 when the container was removed. Throws the error of a
 * failed workload.
 */
function exitCodeOf(end: SupervisedEnd): number {
  if (end.how === 'failed') throw end.error;
  return end.how === 'exited' ? end.exitCode : 0;
}
