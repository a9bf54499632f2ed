import { isPortolanError } from '@portolan/plugin-api';
import { findLostProtections, protectionsOf, refuseCallbackPort, type RunRequest } from '@portolan/run-spec';
import { ownerOf, requireOwnSecrets } from '../../secrets/secret-owner.ts';
import { missingInputs } from '../run-errors.ts';
import { planConsent } from '../../consent/require-consent.ts';
import { authorOf, planHeaders, withMountAuthors, withSecretAuthors } from './plan-authors.ts';
import { planGrants } from './plan-grants.ts';
import type { WorkloadContext } from '../../workload-context.ts';
import type { PlannedTarget, RunPlan } from '../run-plan.ts';
import { lockSourceOfRun } from '../steps/lock/locked-source.ts';
import { imageSourceOf } from '../steps/image-source.ts';
import { noteUnusedCertificates } from '../steps/check/note-unused-certificates.ts';
import { type PreparedRequest, prepareRequest } from '../steps/prepare-request.ts';
import type { InputSources } from '../steps/read/resolve-inputs.ts';
import { requireGroup } from '../steps/check/require-group.ts';
import { findIssuerProblem, refuseIssuer } from '../../supervisor/issuer-problem.ts';
import { findStoredSecret, ownerOfRun } from '../steps/run-secrets.ts';
import { laterWarnings, type SettledRequest, settleRequest } from '../steps/settle-request.ts';
import { findChanges } from '../steps/find-changes.ts';
import { planHost } from './plan-host.ts';
import { planImage } from './plan-image.ts';
import { planAddedVariables, planMounts, planNetworks, planOverlays, planSecrets } from './plan-parts.ts';
import { planSessions } from './plan-sessions.ts';
import { planSettings } from './plan-settings.ts';

export async function planRequest(
  request: RunRequest,
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<RunPlan> {
  const sources = planSources(context, signal);
  const prepared = await prepareRequest(request, context, sources, { decide: planConsent(context) }, signal);
  requireWhole(prepared);
  const { settings } = prepared;
  await requireGroup(settings.group.value, context);
  const requested = imageSourceOf(prepared, settings.container, context.kinds);
  const { source, warnings: lockWarnings } = await lockSourceOfRun(requested, settings, context);
  const unused = await noteUnusedCertificates(source, settings.container);
  const { image, provided, warnings } = await planImage(source, context, signal);
  const workloads = await context.store.list();
  const earlier = workloads.find(({ name }) => name === settings.name.value)?.config;
  const settled = await settleRequest(prepared, { image: provided, workloads, replaced: earlier });
  refuseCallbackPort(settled.config);
  await requireOwnSecrets(settled.config, ownerOfRun(settled, context.store));
  refuseIssuer(await findIssuerProblem(settled.config, context, signal));
  const grants = await planGrants(prepared.consent, context);
  const overlays = await planOverlays(settled.config, grants, context, signal);
  const hosted = await planHost(settled.config, context, signal);
  const parts = { request, settings, hasEntry: prepared.entry !== undefined };
  const isGuess = settings.transport === undefined && image?.is === 'to be pulled';
  return {
    name: settings.name.value,
    target: targetOf(prepared, request.target ?? ''),
    settings: planSettings(settled, isGuess),
    image,
    remote_url: settings.remote?.url,
    mounts: withMountAuthors(planMounts(settled.config, context), parts, context),
    hidden: overlays.hidden,
    networks: planNetworks(settled.config),
    sessions: await planSessions(settled.config, context, signal),
    protections: protectionsOf(settled.config),
    environment: await planEnvironment(settled, context),
    secrets: withSecretAuthors(planSecrets(settled.config), parts),
    headers: planHeaders(parts),
    missing: prepared.missing,
    changes: earlier === undefined ? undefined : findChanges(earlier, settled.config),
    lost: earlier === undefined ? [] : findLostProtections(earlier, settled.config),
    grants,
    warnings: [
      ...prepared.warnings,
      ...laterWarnings(prepared, settled),
      ...lockWarnings,
      ...unused,
      ...warnings,
      ...overlays.warnings,
      ...(await warnOfEntry(prepared)),
      ...hosted,
    ],
    entry_tools: prepared.entry?.server.tools,
    virtual_server: undefined,
  };
}

/** Returns warnings about hidden text in the registry entry, for which a run does not look. */
async function warnOfEntry({ entry }: PreparedRequest): Promise<readonly string[]> {
  if (entry === undefined) return [];
  const { warnOfHiddenText } = await import('@portolan/registry-client/lookup');
  return warnOfHiddenText(entry.server.server, entry.document);
}

/** Returns the sources of inputs for a plan, which asks for nothing. */
export function planSources(context: WorkloadContext, signal: AbortSignal): InputSources {
  return {
    findSecret: (name) => findUnlocked(name, context, signal),
    ask: undefined,
    unanswered: 'left out',
  };
}

async function planEnvironment(
  { settings, config }: SettledRequest,
  context: WorkloadContext,
): Promise<RunPlan['environment']> {
  const own = [...settings.environment].map(([name, { from, by }]) => ({
    name,
    from,
    by,
    author: authorOf(from),
  }));
  return [...own, ...(await planAddedVariables(config, context))];
}

/**
 * Returns a stored secret. Returns undefined when the secret store is locked, because a plan never asks for a
 * password.
 */
async function findUnlocked(
  name: string,
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    return await findStoredSecret(name, context, ownerOf('', [], context.store), signal);
  } catch (error) {
    if (isPortolanError(error) && error.code === 'ERR_SECRET_STORE_LOCKED') return undefined;
    throw error;
  }
}

/** Throws ERR_INPUTS_MISSING when the URL of a remote server depends on inputs without values. */
function requireWhole({ entry, settings, missing }: PreparedRequest): void {
  if (entry?.server.runs.form === 'remote' && settings.remote === undefined) throw missingInputs(missing);
}

function targetOf({ target, because, entry }: PreparedRequest, named: string): PlannedTarget {
  return { form: target.from, named, because, registry: entry?.registry };
}
