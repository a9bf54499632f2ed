import { consentOptions, requireConsent } from '../../../consent/require-consent.ts';
import { recordWorkload } from '../../../consent/trust-records.ts';
import { demandsOfUpdate } from '../../../consent/update-demands.ts';
import { isAlive } from '../../../state/process-identity.ts';
import type { WorkloadContext } from '../../../workload-context.ts';
import type { RunOptions, StartOptions } from '../../run-options.ts';
import { verificationOf, verifyRunImage } from '../../steps/check/verify-image.ts';
import type { UpdateOffer } from './update-offer.ts';
import { replaceByItself } from '../replace-by-itself.ts';
import { stopWorkloads } from '../stop-workloads.ts';

/**
 * Updates a workload and keeps its settings, after the user consents to new grants. If the workload was
 * stopped before, it is stopped again once the new version responds. On failure or abort, restores the
 * earlier version. Throws like `requireConsent`.
 */
export async function updateWorkload(
  { name, next }: UpdateOffer,
  context: WorkloadContext,
  options: Omit<StartOptions, 'detachEarly' | 'foreground'>,
  signal: AbortSignal,
): Promise<void> {
  if (next === undefined) return;
  const { config, digest, entry } = next;
  const earlier = await context.store.find(name);
  const consent =
    entry === undefined
      ? undefined
      : await demandsOfUpdate(earlier?.config ?? config, entry, context, signal);
  if (consent !== undefined) await requireConsent(consent, context, consentOptions(options), signal);
  const ran = earlier?.supervisor !== undefined && (await isAlive(earlier.supervisor));
  if (digest !== undefined) {
    const verification = await verificationOf(config, context, signal);
    const source = { form: 'image', reference: digest } as const;
    const { warnings } = await verifyRunImage({ source, ...verification }, context, signal);
    for (const warning of warnings) options.observer.warn(warning);
  }
  const run: RunOptions = { ...options, detachEarly: false, foreground: false, replace: true };
  await replaceByItself({ config, digest: digest ?? '' }, { context, run, ran }, signal);
  if (consent !== undefined) await recordWorkload(name, consent, context);
  if (!ran) await stopWorkloads([name], context, {}, signal);
}
