import { isPortolanError } from '@portolan/plugin-api';
import {
  changeRunConfig,
  findLostProtections,
  formatPackage,
  isVirtualServer,
  type RunChange,
  type RunConfig,
  runConfigDocument,
} from '@portolan/run-spec';
import { consentOptions } from '../../consent/require-consent.ts';
import { requireWorkloadConsent } from '../../consent/trust-records.ts';
import { isAlive } from '../../state/process-identity.ts';
import type { WorkloadContext } from '../../workload-context.ts';
import { notStartable } from '../run-errors.ts';
import type { Difference } from '../run-observer.ts';
import type { RunOptions, RunOutcome, StartOptions } from '../run-options.ts';
import { sourceOfRunTarget } from '../steps/config-image.ts';
import { findChanges } from '../steps/find-changes.ts';
import { findOidcClientSecret } from '../steps/oidc-client-secret.ts';
import { prepareFile } from '../steps/prepare-file.ts';
import type { PolicyFile } from '../steps/read/read-policy-files.ts';
import { fieldsOfSource } from '../members/fields-of-source.ts';
import { readInputs } from '../steps/read/read-inputs.ts';
import { findTokenExchangeSecret } from '../steps/token-exchange-secret.ts';
import { verificationOf, verifyRunImage } from '../steps/check/verify-image.ts';
import { replaceByItself } from './replace-by-itself.ts';

export interface ChangeOptions extends Omit<StartOptions, 'detachEarly' | 'foreground'> {
  readonly dryRun: boolean;
}

export interface WorkloadChange extends Difference {
  /** Outcome of the restart; undefined for a dry run or when nothing differs. */
  readonly outcome: Extract<RunOutcome, { readonly outcome: 'ready' }> | undefined;
}

/** Maximum number of attempts, when other processes change the same workload at the same time. */
const MAX_ATTEMPTS = 5;

/**
 * Changes settings of a workload and starts or restarts it. Shows the difference to the observer before
 * anything stops; without a restart, only the result has the difference. On failure or abort, restores the
 * earlier settings, and restarts the workload if it was running. Throws ERR_WORKLOAD_UNKNOWN, ERR_STATE_DAMAGED, and the errors of `changeRunConfig`,
 * `requireWorkloadConsent` and `runWorkload`.
 */
export async function changeWorkload(
  name: string,
  change: RunChange,
  context: WorkloadContext,
  options: ChangeOptions,
  signal: AbortSignal,
): Promise<WorkloadChange> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await changeOnce(name, change, context, options, signal);
    } catch (error) {
      const isOutdated = isPortolanError(error) && error.code === 'ERR_WORKLOAD_CHANGED';
      if (!isOutdated || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

async function changeOnce(
  name: string,
  change: RunChange,
  context: WorkloadContext,
  { dryRun, ...options }: ChangeOptions,
  signal: AbortSignal,
): Promise<WorkloadChange> {
  const { observer } = options;
  const stored = await context.store.find(name);
  if (stored === undefined) throw await context.store.unknown(name);
  const { config: base, faults } = stored;
  if (base === undefined) throw notStartable(name, faults);
  const { config, needsBuild, warnings } = await readChange(base, change, context, signal);
  for (const warning of warnings) observer.warn(warning);
  const lost = findLostProtections(base, config);
  const difference = { name, changes: findChanges(base, config), lost };
  if (difference.changes.length === 0) return { ...difference, outcome: undefined };
  if (dryRun) {
    await checkSettings(config, context, signal);
    return { ...difference, outcome: undefined };
  }
  observer.difference?.(difference);
  await requireWorkloadConsent(name, context, consentOptions(options), signal);
  const digest = needsBuild ? '' : (stored.state?.imageDigest ?? '');
  if (change.flags.imageVerification !== undefined && digest.includes('@')) {
    await verifyAgain(config, digest, { context, observer }, signal);
  }
  const ran = stored.supervisor !== undefined && (await isAlive(stored.supervisor));
  const run: RunOptions = { ...options, detachEarly: false, foreground: false, replace: true };
  const outcome = await replaceByItself({ config, digest, base }, { context, run, ran }, signal);
  return { ...difference, outcome: outcome.outcome === 'ready' ? outcome : undefined };
}

async function readChange(
  base: RunConfig,
  change: RunChange,
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<ReturnType<typeof changeRunConfig>> {
  const inputs = await readInputs(change.flags, context, signal);
  const changed = changeRunConfig(base, change, {
    target: await targetOf(base, change, context, signal),
    user: context.user,
    transports: context.kinds.transports,
    environment: inputs.environment,
    profileFile: inputs.profileFile,
    policyFiles: [...(await readMembersFields(change, context, signal)), ...inputs.policyFiles],
    tokenExchangeSecret: await findTokenExchangeSecret(change.flags, context, signal),
    oidcClientSecret: findOidcClientSecret(context),
    context: { workingDirectory: context.workingDirectory, home: context.home },
    clock: context.clock,
  });
  const config = changed.needsBuild ? { ...changed.config, image: '' } : changed.config;
  return { ...changed, config, warnings: [...inputs.warnings, ...changed.warnings] };
}

/** Returns the settings of the members file that a change of a virtual server names. */
async function readMembersFields(
  { flags }: RunChange,
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<readonly PolicyFile[]> {
  if (flags.members === undefined) return [];
  const { readMembersFile } = await import('../members/read-members-file.ts');
  const source = await readMembersFile(flags.members, context, signal);
  return [{ flag: 'members', fields: fieldsOfSource(source) }];
}

type Target = Parameters<typeof changeRunConfig>[2]['target'];

/**
 * Returns the target of the changed run. Looks up the package only when the change affects how the image is
 * built.
 */
async function targetOf(
  base: RunConfig,
  { flags, unset }: RunChange,
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<Target> {
  // `changeRunConfig` knows the target of a virtual server.
  if (isVirtualServer(base)) return { from: 'image', reference: '' };
  if (base.remote_url !== '') return { from: 'url', url: new URL(base.remote_url) };
  const isOfBuild = [flags.runtimeImage, flags.runtimeAddPackages, flags.buildWith, flags.caCert].some(
    (input) => input !== undefined,
  );
  const unsetsBuild = unset.some((text) => /^-*(?:runtime-|build-with|ca-cert)/.test(text));
  const source = isOfBuild || unsetsBuild ? await sourceOfRunTarget(base, context, signal) : undefined;
  if (source?.form !== 'package') return { from: 'image', reference: base.image };
  const { scheme, reference } = source;
  return { from: 'scheme', scheme, reference, package: formatPackage(reference) };
}

async function checkSettings(
  config: RunConfig,
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<void> {
  const gates = { decide: async () => Promise.resolve(true), own: JSON.stringify(runConfigDocument(config)) };
  await prepareFile(`the run config of ${config.name}`, context, gates, signal);
}

async function verifyAgain(
  config: RunConfig,
  digest: string,
  { context, observer }: { readonly context: WorkloadContext } & Pick<StartOptions, 'observer'>,
  signal: AbortSignal,
): Promise<void> {
  const verification = await verificationOf(config, context, signal);
  const source = { form: 'image', reference: digest } as const;
  const { warnings } = await verifyRunImage({ source, ...verification }, context, signal);
  for (const warning of warnings) observer.warn(warning);
}
