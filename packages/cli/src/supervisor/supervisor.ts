import { errorClassOf } from '@portolan/plugin-api';
import type { MemberValues, SupervisedEnd, SupervisorOrder, SupervisorReport } from '@portolan/workload';
import { encodeInUrl } from '@portolan/run-spec';
import { logFilesOf } from '@portolan/workload';
import { changeMembers, superviseWorkload } from '@portolan/workload/supervisor';
import { openWorkloadContext } from '../context/open-workload-context.ts';
import { enlargeHeap } from './heap-limit.ts';
import { SupervisorLog } from './supervisor-log.ts';

/**
 * Runs the supervisor's process: opens the context with its plugins, receives the order from the parent process,
 * supervises until the workload ends, and exits. The exit status is 0 if the workload was stopped or removed. Exits
 * with 1 if the parent process ends before it sends the order. Does not return.
 */
export async function supervise(): Promise<never> {
  const log = new SupervisorLog();
  const stop = stopSignal(log);
  let order: SupervisorOrder | undefined;
  let status = 1;
  try {
    const { env: environment } = process;
    const context = await openWorkloadContext({
      environment,
      debug: log.isDebug,
      configFile: environment['PORTOLAN_CONFIG'] || undefined,
      needsKinds: true,
      logger: log,
      // A getter, because the secret store reads it when it opens, after this process has received the order.
      get askPassword() {
        const password = order?.storePassword;
        return password === undefined ? undefined : async () => password;
      },
    });
    const received = await receiveOrder(stop);
    if (received === undefined) process.exit(1);
    order = received;
    maskSecrets(log, received);
    log.moveTo(logFilesOf(received.name, context.directories).supervisor);
    // The working directory of the command may be unmounted or removed while the workload runs.
    process.chdir('/');
    try {
      const tell = (report: SupervisorReport): void => {
        logReport(log, received.name, report);
        if (report.report === 'ready') enlargeHeap();
        send(report);
      };
      const signal = received.readsDefinitions === true ? AbortSignal.any([stop, watchParentEnd()]) : stop;
      const end = await superviseWorkload(received, context, tell, signal, { changeMembers });
      log.info({ workload: received.name, end: end.how }, 'supervision ended');
      status = statusOf(end);
    } finally {
      await context.close();
    }
  } catch (error) {
    log.error({ err: error }, 'supervision failed');
    sendFailure(error);
  }
  await told;
  process.exit(status);
}

/** Masks each secret of the order, and the encoded forms that policies put into URLs. */
function maskSecrets(log: SupervisorLog, order: SupervisorOrder): void {
  const { storePassword, members = {} } = order;
  for (const values of [order, ...Object.values(members)]) maskValues(log, values);
  if (storePassword !== undefined) log.mask(storePassword);
}

function maskValues(log: SupervisorLog, values: MemberValues): void {
  const { secrets, headers, policySecrets, login } = values;
  for (const value of [secrets, headers, policySecrets].flatMap(Object.values<string>)) log.mask(value);
  for (const value of Object.values(policySecrets)) log.mask(encodeInUrl(value));
  if (login !== undefined) log.mask(login.accessToken);
}

/** Logs each report to the parent process, for later diagnosis. */
function logReport(log: SupervisorLog, workload: string, report: SupervisorReport): void {
  if (report.report === 'step') log.info({ workload, step: report.step }, report.text);
  else if (report.report === 'ready') log.info({ workload, url: report.url }, 'workload is ready');
}

function statusOf(end: SupervisedEnd): number {
  return end.how === 'stopped' || end.how === 'removed' ? 0 : 1;
}

/** Returns the order; undefined if the parent process has ended, or a signal stops this process. */
async function receiveOrder(stop: AbortSignal): Promise<SupervisorOrder | undefined> {
  // The parent process may have ended before this program was loaded.
  if (process.send === undefined || !process.connected) return undefined;
  const { promise, resolve } = Promise.withResolvers<SupervisorOrder | undefined>();
  const left = (): void => resolve(undefined);
  stop.addEventListener('abort', left, { once: true });
  // SAFETY: the channel leads to the parent process, which sends only the order.
  const take = (message: unknown): void => resolve(message as SupervisorOrder);
  process.once('message', take);
  process.once('disconnect', left);
  const order = await promise;
  process.off('message', take);
  process.off('disconnect', left);
  stop.removeEventListener('abort', left);
  return order;
}

/** Returns a signal that aborts when the parent process ends, for a workload that runs only for its command. */
function watchParentEnd(): AbortSignal {
  const controller = new AbortController();
  const end = (): void => controller.abort(new Error('the command has ended'));
  process.once('disconnect', end);
  if (!process.connected) end();
  return controller.signal;
}

let told: Promise<void> = Promise.resolve();
let hasFailed = false;

/** Sends a report to the parent process if it still listens, and closes the channel after the last one. */
function send(report: SupervisorReport): void {
  const isLast = report.report === 'ready';
  if (report.report === 'failed') hasFailed = true;
  if (process.send === undefined || !process.connected) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  told = promise;
  process.send(report, undefined, {}, () => {
    if (isLast && process.connected) process.disconnect();
    resolve();
  });
}

/** Reports a failure that `superviseWorkload` has not reported. */
function sendFailure(error: unknown): void {
  if (hasFailed) return;
  const known = error instanceof Error ? error : new Error(String(error));
  const code = 'code' in known && typeof known.code === 'string' ? known.code : 'ERR_OPERATION_FAILED';
  const hint = 'hint' in known && typeof known.hint === 'string' ? known.hint : undefined;
  send({
    report: 'failed',
    code,
    class: errorClassOf(error),
    message: known.message,
    hint,
    lastLines: [],
  });
}

/**
 * Returns a signal that aborts when a stop signal or an uncaught exception ends this process. An unhandled
 * rejection is only logged.
 */
function stopSignal(log: SupervisorLog): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    process.on(name, () => controller.abort(new Error(`stopped by ${name}`)));
  }
  process.on('SIGHUP', () => undefined);
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'unhandled promise rejection'));
  process.on('uncaughtException', (error) => {
    log.error({ err: error }, 'uncaught exception; the workload is stopped');
    controller.abort(error);
  });
  // Ignores write errors, as on a full disk.
  process.stdout.on('error', () => undefined);
  process.stderr.on('error', () => undefined);
  return controller.signal;
}
