import { UndoStack } from '@portolan/plugin-api';
import type { RunConfig, RunRequest } from '@portolan/run-spec';
import { checkBesideFile } from '@portolan/run-spec';
import type { LoggedIn } from '../login/log-in.ts';
import type { SupervisorOrder } from '../supervisor/supervisor-order.ts';
import type { WorkloadContext } from '../workload-context.ts';
import { replacementFailed } from './run-errors.ts';
import type { RunOptions, RunOutcome } from './run-options.ts';
import { bringUp } from './steps/bring-up.ts';
import { claimName } from './steps/claim-name.ts';
import { findReplaced } from './steps/find-replaced.ts';
import { makeRoom } from './steps/make-room.ts';
import { prepareRun } from './steps/prepare-run.ts';
import { requireGroup } from './steps/require-group.ts';
import {
  dropSecrets,
  ownSecretsOf,
  resolveSecretValues,
  type SecretValues,
  storeRunSecrets,
} from './steps/run-secrets.ts';
import type { SettledRun } from './steps/settled-run.ts';

/**
 * Runs what is asked for as a new workload, and returns when it answers; in the
 * foreground, when its container has ended and nothing of it is left. What
 * fails or is aborted leaves nothing of the name: no container, network,
 * process, file or port. Throws a coded error for each thing that can go wrong,
 * and the reason of the signal.
 */
export async function runWorkload(
  request: RunRequest,
  context: WorkloadContext,
  options: RunOptions,
  signal: AbortSignal,
): Promise<RunOutcome> {
  checkBesideFile(request);
  const { observer } = options;
  const undo = new UndoStack(context.logger);
  let madeRoom: 'kept' | 'removed' | undefined;
  const prepared = await prepareRun(request, context, observer, signal);
  try {
    await requireGroup(prepared.group, context);
    const earlier = await findReplaced(prepared, options.replace, context.store);
    const asked = await settleApart(await prepared.settle(earlier?.config), context, signal);
    await storeRunSecrets(asked.secrets, context, undo, signal);
    const secrets = await resolveSecretValues(asked.config, context, signal);
    const login = await loginFor(asked.config, secrets, context, observer, signal);
    if (login !== undefined) {
      await storeRunSecrets(login.secrets, context, undo, signal);
      undo.push('login', () => takeLoginBack(login, context));
    }
    const settled = login === undefined ? asked : { ...asked, config: login.config };
    if (earlier !== undefined) {
      madeRoom = (await makeRoom(earlier, context, undo, signal)) ? 'kept' : 'removed';
    }
    const lock = await claimName(settled, context, undo, signal);
    const values = login === undefined ? secrets : { ...secrets, login: handedOf(login) };
    const outcome = await bringUp({ config: settled.config, values }, context, options, signal);
    if (outcome.outcome === 'ended') await undo.run();
    else {
      undo.forget();
      await lock.release();
      await dropSecretsOf(earlier?.config, context, signal);
    }
    return outcome;
  } catch (error) {
    await undo.run();
    if (madeRoom === undefined || signal.aborted) throw error;
    throw replacementFailed(prepared.name, madeRoom === 'kept', error);
  }
}

/** Undefined for a workload that needs none. Throws ERR_LOGIN_*. */
async function loginFor(
  config: RunConfig,
  values: SecretValues,
  context: WorkloadContext,
  observer: RunOptions['observer'],
  signal: AbortSignal,
): Promise<LoggedIn | undefined> {
  const isProven = Object.keys(values.headers).some((name) => name.toLowerCase() === 'authorization');
  if (config.remote_url === '' || isProven) return undefined;
  const { logIn } = await import('../login/log-in.ts');
  return await logIn({ config, secrets: values.policySecrets, isAsked: false }, context, observer, signal);
}

/** Of a run that failed: while its secrets are still stored. */
async function takeLoginBack({ config }: LoggedIn, context: WorkloadContext): Promise<void> {
  const { takeBack } = await import('../login/log-in-again.ts');
  await takeBack(config, context, { unregisters: true }, AbortSignal.timeout(TAKE_BACK_MS));
}

const TAKE_BACK_MS = 15_000;

function handedOf({ tokens }: LoggedIn): NonNullable<SupervisorOrder['login']> {
  return { accessToken: tokens.accessToken, expiresAt: tokens.expiresAt?.toISOString() };
}

async function settleApart(
  settled: SettledRun,
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<SettledRun> {
  if (settled.secrets.length === 0) return settled;
  const { nameSecretsApart } = await import('./steps/name-secrets-apart.ts');
  return await nameSecretsApart(settled, context, signal);
}

/** Of the workload that made room, for what no workload uses any more. The new one runs whether that works or not. */
async function dropSecretsOf(
  earlier: RunConfig | undefined,
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<void> {
  if (earlier === undefined) return;
  try {
    await dropSecrets(ownSecretsOf(earlier), context, signal);
  } catch (error) {
    context.logger.warn(
      { err: error, workload: earlier.name },
      'secrets of the earlier workload stay stored',
    );
  }
}
