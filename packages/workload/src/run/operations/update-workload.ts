import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { formatRunConfig } from '@portolan/run-spec';
import { consentOptions, requireConsent } from '../../consent/require-consent.ts';
import { recordWorkload } from '../../consent/trust-records.ts';
import { demandsOfUpdate } from '../../consent/update-demands.ts';
import { makeFolders } from '../../state/make-folders.ts';
import { isAlive } from '../../state/process-identity.ts';
import type { WorkloadContext } from '../../workload-context.ts';
import type { RunOptions, StartOptions } from '../run-options.ts';
import { runWorkload } from '../run-workload.ts';
import { verificationOf, verifyRunImage } from '../steps/verify-image.ts';
import type { FoundUpdate } from './found-update.ts';
import { startWorkloads } from './start-workloads.ts';
import { stopWorkloads } from './stop-workloads.ts';

/**
 * Replaces a workload by what was found for it, with the settings that it has.
 * The new one has to answer; one that was stopped is stopped again then. Where
 * it fails or is aborted, the earlier one is put back as it was, and the error or
 * the reason of the signal is thrown. The user is asked first for grants that the
 * newer version of an entry needs and the user has not accepted. Throws as `requireConsent`.
 */
export async function updateWorkload(
  { name, next }: FoundUpdate,
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
  await withFile(formatRunConfig(config), context, async (fromConfig) => {
    const pinned = digest === undefined ? {} : { fromDigest: digest };
    const request = {
      target: undefined,
      fromConfig,
      fromState: true as const,
      ...pinned,
      args: [],
      flags: {},
    };
    try {
      await runWorkload(request, context, run, signal);
    } catch (error) {
      // Whoever aborts an update wants to keep what they had.
      if (ran) await startAgain(name, context, run, signal.aborted ? new AbortController().signal : signal);
      throw error;
    }
  });
  if (consent !== undefined) await recordWorkload(name, consent, context);
  if (!ran) await stopWorkloads([name], context, {}, signal);
}

/** What had made room. That it does not come back, too, stands in its status. */
async function startAgain(
  name: string,
  context: WorkloadContext,
  { observer, ...options }: RunOptions,
  signal: AbortSignal,
): Promise<void> {
  const [result] = await startWorkloads(
    [name],
    context,
    { ...options, observerOf: () => observer, restart: false },
    signal,
  );
  if (result?.changed === true) observer.note(`${name} is started again as it was`);
  else if (result?.error !== undefined)
    observer.warn(`${name} does not come back as it was: ${result.error.message}`);
}

/** With a file that its owner alone may read, and that is gone afterwards. */
async function withFile(
  text: string,
  { directories }: WorkloadContext,
  work: (file: string) => Promise<void>,
): Promise<void> {
  const parent = path.join(path.dirname(directories.statuses), 'updates');
  await makeFolders(parent, 0o700);
  const folder = await mkdtemp(path.join(parent, 'update-'));
  try {
    const file = path.join(folder, 'run-config.json');
    await writeFile(file, text, { mode: 0o600 });
    await work(file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
