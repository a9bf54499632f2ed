import { randomUUID } from 'node:crypto';
import { isPortolanError, UndoStack } from '@portolan/plugin-api';
import { ownProcess } from '../state/process-identity.ts';
import type { WorkloadContext } from '../workload-context.ts';
import { Lifecycle } from './process/lifecycle.ts';
import { logFilesOf } from '../state/log-files.ts';
import { ServerOutput } from './process/server-output.ts';
import { Notices } from './process/notices.ts';
import { maskEnd, maskInlineSecrets, maskReports } from './process/mask-secrets.ts';
import { noteRefusedWrite } from './server/note-refused-write.ts';
import { StateRecord } from './process/state-record.ts';
import type { SupervisedEnd } from './process/supervised-end.ts';
import { startFailed, startStopped } from './supervise-errors.ts';
import type { ChangeMembers, StepUp, Supervision } from './supervision.ts';
import type { ReportListener, SupervisorOrder } from './supervisor-order.ts';

export interface SupervisionParts {
  /** Lets the user log in for more scopes; without it, no user is present. */
  readonly stepUp?: StepUp | undefined;
  /** Prepares changed members; without it, the members file is not watched. */
  readonly changeMembers?: ChangeMembers | undefined;
}

/**
 * Runs a stored workload until the signal aborts (which stops it), another program removes its container, or
 * restarts fail. Reports `ready` once it responds, and resolves after everything is closed and its containers
 * are gone. The run config stays in every case.
 *
 * When the start fails, reports `failed`, sets the state `error` and rejects with the reason. A stop during
 * the start reports `failed` too, and resolves.
 */
export async function superviseWorkload(
  order: SupervisorOrder,
  context: WorkloadContext,
  report: ReportListener,
  signal: AbortSignal,
  { stepUp, changeMembers }: SupervisionParts = {},
): Promise<SupervisedEnd> {
  const work = { ...(await beginSupervision(order, context, report, stepUp)), changeMembers };
  const { lifecycle } = work;
  const stop = (): void => lifecycle.finish({ how: 'stopped' });
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    await start(work);
    const mask = maskInlineSecrets(work.config, order.policySecrets);
    return await endSupervision(work, maskEnd(await lifecycle.ended, mask));
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

async function beginSupervision(
  order: SupervisorOrder,
  context: WorkloadContext,
  listener: ReportListener,
  stepUp: StepUp | undefined,
): Promise<Supervision> {
  const { store, logger, clock, directories } = context;
  const [{ config }, own] = await Promise.all([store.getConfig(order.name), ownProcess()]);
  const mask = maskInlineSecrets(config, order.policySecrets);
  const report = maskReports(listener, mask);
  const record = new StateRecord(store, order.name, own, logger, mask);
  const instance = randomUUID();
  const state = await record.takeOver((before) => ({
    ...before,
    status: 'starting',
    statusContext: '',
    instance,
    url: '',
    containerId: '',
    // A workload that is started only to read its definitions stays as the user left it.
    wanted: order.readsDefinitions === true ? before.wanted : !order.foreground,
    notice: '',
    missingScopes: [],
  }));
  const notices = new Notices(record);
  const opened = new UndoStack(logger);
  const output = new ServerOutput(
    logFilesOf(order.name, directories),
    clock,
    (text) => noteRefusedWrite(text, { config, notices, output }),
    (text) => (order.foreground ? report({ report: 'output', text }) : undefined),
    mask,
  );
  opened.push('output', () => output.close());
  return {
    order,
    context,
    report,
    config,
    state,
    own,
    instance,
    lifecycle: new Lifecycle(),
    output,
    record,
    notices,
    opened,
    stepUp,
  };
}

/** Runs the steps until the workload ends; a step that throws ends it. */
async function start(work: Supervision): Promise<void> {
  const { lifecycle, order } = work;
  // Loaded on demand, because the module is large and only a start needs it.
  const { START_STEPS } = await import('./start-steps.ts');
  for (const { name, run } of START_STEPS) {
    if (lifecycle.isOver) return;
    const { logger } = work.context;
    const sinceMs = performance.now();
    logger.debug({ step: name }, 'start step');
    try {
      await run(work);
      logger.debug({ step: name, took_ms: Math.round(performance.now() - sinceMs) }, 'start step done');
    } catch (error) {
      logger.debug({ step: name, err: error }, 'start step failed');
      lifecycle.finish({
        how: 'failed',
        error: isPortolanError(error) ? error : startFailed(order.name, error),
      });
      return;
    }
  }
}

async function endSupervision(work: Supervision, end: SupervisedEnd): Promise<SupervisedEnd> {
  const { lifecycle, record, opened, report, output, context, order } = work;
  const neverReady = lifecycle.isStarting;
  context.logger.debug({ end: end.how, while: neverReady ? 'starting' : 'running' }, 'workload ended');
  if (end.how === 'stopped') record.note((state) => ({ ...state, status: 'stopping' }));
  const { last: lastLines, missing } = output;
  // Failures in client files must not prevent the cleanup.
  const leaving = order.readsDefinitions === true ? undefined : leaveClients(work);
  const [left] = await Promise.allSettled([leaving, opened.run()]);
  if (left.status === 'rejected') {
    context.logger.warn({ error: left.reason }, 'client files could not be changed');
  }
  record.note((state) => ({
    ...state,
    ...lastStatus(end),
    supervisor: undefined,
    instance: '',
    url: '',
    containerId: '',
  }));
  await record.close();
  if (!neverReady) return end;
  const error = end.how === 'failed' ? end.error : startStopped(order.name);
  const { code, class: errorClass, message, hint } = error;
  report({ report: 'failed', code, class: errorClass, message, hint, lastLines, missing });
  if (end.how === 'failed') throw end.error;
  return end;
}

/** Removes the workload from client files, while the state still has the address that clients use. */
async function leaveClients({ order, context }: Supervision): Promise<void> {
  const { removeFromClientFiles } = await import('../clients/announce-to-clients.ts');
  for (const warning of await removeFromClientFiles(order.name, context)) {
    context.logger.warn({ workload: order.name }, warning);
  }
}

function lastStatus(end: SupervisedEnd): {
  readonly status: 'stopped' | 'error';
  readonly statusContext: string;
} {
  switch (end.how) {
    case 'failed':
      return { status: 'error', statusContext: end.error.message };
    case 'exited':
      return { status: 'stopped', statusContext: `The server ended with exit status ${end.exitCode}.` };
    case 'removed':
      return {
        status: 'stopped',
        statusContext: `its ${end.what} was removed by another program; \`portolan start\` creates a new one`,
      };
    case 'stopped':
      return { status: 'stopped', statusContext: '' };
    default:
      return end satisfies never;
  }
}
