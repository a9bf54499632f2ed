import { findServer } from '@portolan/registry-client/lookup';
import {
  type Demands,
  type RunConfig,
  type ServerSettings,
  classifyTarget,
  formatPackage,
  isVirtualServer,
} from '@portolan/run-spec';
import { findNewestVersion } from '../../../build/newest-version.ts';
import { findMissingGrants } from '../../../consent/require-consent.ts';
import { demandsOfUpdate, type UpdateEntry } from '../../../consent/update-demands.ts';
import type { StoredWorkload } from '../../../state/workload-store.ts';
import type { WorkloadContext } from '../../../workload-context.ts';
import { lookupContextOf } from '../../lookup-context.ts';
import { notStartable } from '../../run-errors.ts';
import { type ImageSource, isVersionOf, type PackageSource, sourceOf } from '../../steps/image-source.ts';
import { resolveTarget } from '../../steps/resolve-target.ts';
import { verificationContext } from '../../steps/check/verify-image.ts';
import type { UpdateOffer, UpdateTarget } from './update-offer.ts';
import { permissionChanges } from './permission-changes.ts';

/**
 * Looks for a newer version of a workload's package, image or registry entry, without a cache. Changes
 * nothing. Throws ERR_WORKLOAD_UNKNOWN, ERR_STATE_DAMAGED, and the errors of the look-ups.
 */
export async function findUpdate(
  name: string,
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<UpdateOffer> {
  const stored = await context.store.find(name);
  if (stored === undefined) throw await context.store.unknown(name);
  const { config, faults } = stored;
  if (config === undefined) throw notStartable(name, faults);
  if (isVirtualServer(config)) return nothing(name, UPDATE_OF_MEMBERS);
  if (config.remote_url !== '') return nothing(name, 'The operator of a remote server decides its version.');
  if (config.registry_server_name !== '') return await ofEntry(stored, config, context, signal);
  if (!config.run_target.includes('://')) return await ofImage(stored, config, config.image, context, signal);
  const { target } = await resolveTarget(config.run_target, context, signal);
  const source = sourceOf({ target, entry: undefined }, builtOf(config, context), context.kinds);
  return source?.form === 'package'
    ? await ofPackage(config, source, context, signal)
    : nothing(name, 'Its source has no versions.');
}

/** Why a virtual server itself has no update. */
const UPDATE_OF_MEMBERS =
  'A virtual server has no version of its own; `portolan run --members FILE --replace` takes the newest ones of its members.';

async function ofEntry(
  stored: StoredWorkload,
  config: RunConfig,
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<UpdateOffer> {
  const lookup = await findServer(config.registry_server_name, lookupContextOf(context), signal, true);
  const { registry_server_name: server } = config;
  if (!lookup.isFound) return nothing(config.name, describeAbsence(config, lookup.registry));
  const { settings } = lookup;
  const source = sourceOfEntry(settings, config, context);
  if (source === undefined)
    return nothing(config.name, `The registry lists ${server} as a remote server now.`);
  const looked =
    source.form === 'image'
      ? await ofImage(stored, config, source.reference, context, signal)
      : await ofPackage(config, source, context, signal);
  const isSame = isVersionOf(config, source);
  const entry = { server: settings, registry: lookup.registry, isSame };
  return {
    ...looked,
    next: looked.next && { ...looked.next, entry },
    asks: looked.next === undefined ? looked.asks : await missingDemands(config, entry, context, signal),
    of: 'entry',
    permissions: looked.available ? permissionChanges(config.permission_profile, settings.permissions) : [],
    tools: settings.tools,
  };
}

/**
 * Returns a note that the configured registry does not have the workload's server. If the server came from
 * another registry, the note also names that registry.
 */
function describeAbsence(
  { registry_server_name: server, registry_api_url: api, registry_url: file }: RunConfig,
  registry: string | undefined,
): string {
  const origin = api === '' ? file : api;
  const where =
    registry === undefined
      ? 'No registry is configured, which could have'
      : `The registry ${registry} does not have`;
  const hint =
    origin === '' || origin === registry ? '' : ` The workload is from ${origin}: name it with --url.`;
  return `${where} the server ${server}.${hint}`;
}

async function missingDemands(
  config: RunConfig,
  entry: UpdateEntry,
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<Demands> {
  const request = await demandsOfUpdate(config, entry, context, signal);
  return {
    grants: await findMissingGrants(request, context),
    refusals: request.demands.refusals,
  };
}

function sourceOfEntry(
  settings: ServerSettings,
  config: RunConfig,
  context: WorkloadContext,
): ImageSource | undefined {
  const target = { from: 'registry', server: settings.server, registry: '' } as const;
  const entry = { server: settings, document: {}, registry: '', fields: {}, warnings: [] };
  return sourceOf({ target, entry }, builtOf(config, context), context.kinds);
}

function builtOf({ runtime_config: runtime, ca_cert: caCert }: RunConfig, { user }: WorkloadContext) {
  return { runtime, caCert: caCert === '' ? (user.caCertificatePath ?? '') : caCert };
}

async function ofPackage(
  config: RunConfig,
  { scheme, reference, caCert }: PackageSource,
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<UpdateOffer> {
  if (reference.from === 'folder')
    return nothing(config.name, 'An image built from a folder has no versions.');
  const isOfEntry = config.registry_server_name !== '';
  const request = { scheme, reference, caCert: caCert === '' ? undefined : caCert };
  // If a registry entry pins a version, that version counts as the newest.
  const newest =
    isOfEntry && reference.pinned && reference.version !== undefined
      ? reference.version
      : await findNewestVersion(request, context, signal);
  const exact = (version: string): string =>
    `${scheme}://${formatPackage({ ...reference, version, pinned: true })}`;
  if (isOfEntry && !isVersionOf(config, { form: 'package', scheme, reference, caCert, runtime: undefined })) {
    const other = { ...config, image: '', run_target: exact(newest) };
    return found(config.name, 'package', true, [config.image, exact(newest)], {
      config: other,
      digest: undefined,
    });
  }
  const runs = await runningVersion(config, context, signal);
  if (runs === undefined) return nothing(config.name, 'Its current version is unknown.');
  const available = newest !== runs && !isOlderVersion(newest, runs);
  const next = { ...config, image: '', run_target: exact(newest) };
  return found(config.name, 'package', available, [exact(runs), exact(newest)], {
    config: next,
    digest: undefined,
  });
}

/**
 * Returns the package version that the workload runs. Reads it from the run target, or from the image's
 * labels when the target names a registry entry.
 */
async function runningVersion(
  { image, run_target: target }: RunConfig,
  { kinds }: WorkloadContext,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (target.includes('://')) {
    const { schemes } = kinds;
    const { target: runs } = classifyTarget({ argument: target, fromConfig: undefined, schemes });
    return runs.from === 'scheme' && runs.reference.from === 'index' ? runs.reference.version : undefined;
  }
  const opened = await kinds.openRuntime();
  if (opened.runs === 'workloads') return undefined;
  const { BUILT_LABELS } = await import('../../../build/images/image-labels.ts');
  return (await opened.engine.inspectImage(image, signal))?.labels[BUILT_LABELS.version];
}

async function ofImage(
  { state }: StoredWorkload,
  config: RunConfig,
  reference: string,
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<UpdateOffer> {
  const { name, image } = config;
  const next = {
    ...config,
    image: reference,
    run_target: config.registry_server_name === '' ? reference : nameOfTarget(config),
  };
  if (reference !== image)
    return found(name, 'image', true, [image, reference], { config: next, digest: undefined });
  if (reference.includes('@')) return found(name, 'image', false, [image, image], undefined);
  const digest = state?.imageDigest ?? '';
  if (!digest.includes('@')) {
    if (config.registry_server_name === '') return nothing(name, 'The registry of its image is unknown.');
    const note = 'Only the image name was compared, because the digest of its image is unknown.';
    return { ...found(name, 'image', false, [image, image], undefined), notes: [note] };
  }
  const { findImageDigest, findNewerTag } = await import('@portolan/image-verification');
  const verification = verificationContext(context);
  // If a registry entry pins a tag, do not look for a newer tag.
  const isNamed = config.registry_server_name !== '';
  const tags = isNamed ? undefined : await findNewerTag(reference, verification, signal);
  const newer = tags?.outcome === 'newer' ? tags.reference : reference;
  const newest = await findImageDigest(newer, verification, signal);
  const available = hashOf(newest) !== hashOf(digest);
  const changed = newer === reference ? next : { ...next, image: newer, run_target: newer };
  const images = [shown(image, digest), available ? shown(newer, newest) : shown(image, digest)] as const;
  const looked = found(name, 'image', available, images, { config: changed, digest: newest });
  return tags?.outcome === 'unlisted' ? { ...looked, notes: [UNLISTED] } : looked;
}

function nameOfTarget({ run_target: target, registry_server_name: server }: RunConfig): string {
  return target.includes('://') ? server : target;
}

const UNLISTED = 'The registry does not list tags, so only the digest of the current tag was checked.';

function hashOf(digest: string): string {
  return digest.slice(digest.lastIndexOf('@') + 1);
}

function shown(image: string, digest: string): string {
  return `${image}@${hashOf(digest)}`;
}

function nothing(name: string, note: string): UpdateOffer {
  return { ...found(name, 'nothing', false, ['', ''], undefined), notes: [note] };
}

function found(
  name: string,
  of: UpdateOffer['of'],
  available: boolean,
  [current, newest]: readonly [string, string],
  next: UpdateTarget | undefined,
): UpdateOffer {
  const tools = undefined;
  return {
    name,
    of,
    available,
    current,
    newest,
    permissions: [],
    asks: { grants: [], refusals: [] },
    tools,
    notes: [],
    next: available ? next : undefined,
  };
}

/** Compares versions by their leading numbers; false when they cannot be compared. */
export function isOlderVersion(version: string, than: string): boolean {
  const [numbers, others] = [numbersOf(version), numbersOf(than)];
  if (numbers === undefined || others === undefined) return false;
  for (let at = 0; at < Math.max(numbers.length, others.length); at += 1) {
    const difference = (numbers[at] ?? 0) - (others[at] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

function numbersOf(version: string): readonly number[] | undefined {
  const [, digits] = /^v?(\d+(?:\.\d+)*)/.exec(version) ?? [];
  return digits?.split('.').map(Number);
}
