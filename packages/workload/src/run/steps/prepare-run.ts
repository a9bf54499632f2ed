import { hideUserInfo, isVirtualServer, type RunConfig, type RunRequest } from '@portolan/run-spec';
import { mountsOf } from '../../supervisor/container/plan-container.ts';
import { resolveMounts } from '../../supervisor/container/resolve-mounts.ts';
import { nameOfFile } from './read/run-config-file.ts';
import { ownerOf } from '../../secrets/secret-owner.ts';
import { requireAcceptedPaths } from './check/require-accepted-paths.ts';
import {
  type ConsentGate,
  consentOptions,
  type ConsentRequest,
  requireConsent,
} from '../../consent/require-consent.ts';
import type { WorkloadContext } from '../../workload-context.ts';
import type { RunObserver } from '../run-observer.ts';
import type { RunOptions } from '../run-options.ts';
import { prepareVirtual } from '../members/prepare-virtual.ts';
import { prepareMembers } from '../members/prepare-members.ts';
import { provideConfigImage } from './config-image.ts';
import type { PreparedRun } from './prepared-run.ts';
import { lockSourceOfRun } from './lock/locked-source.ts';
import { type ImageSource, imageSourceOf } from './image-source.ts';
import { noteUnusedCertificates } from './check/note-unused-certificates.ts';
import { prepareFile } from './prepare-file.ts';
import { findOidcClientSecret } from './oidc-client-secret.ts';
import { type PreparedRequest, prepareRequest } from './prepare-request.ts';
import { provideImage } from './provide-image.ts';
import type { InputSources } from './read/resolve-inputs.ts';
import { findStoredSecret } from './run-secrets.ts';
import { settleFile } from './settle-file.ts';
import { laterWarnings, settleRequest } from './settle-request.ts';
import type { SettledRun } from './settled-run.ts';
import { verifyRunImage } from './check/verify-image.ts';

export async function prepareRun(
  request: RunRequest,
  context: WorkloadContext,
  { observer, trust }: Pick<RunOptions, 'observer' | 'trust'>,
  signal: AbortSignal,
): Promise<PreparedRun> {
  const options = consentOptions({ observer, trust });
  const decide = async (consentRequest: ConsentRequest): Promise<boolean> => {
    await requireConsent(consentRequest, context, options, signal);
    return true;
  };
  const listeners = { observer, decide };
  const { members: named, memberGroup } = request.flags;
  if (named !== undefined || memberGroup !== undefined) {
    observer.step('target', `Reading ${named ?? `the group ${memberGroup ?? ''}`}`);
    const sources = sourcesOf(context, observer, signal);
    const parts = { sources, gates: { decide }, options: { observer, trust }, prepare: prepareRun };
    return await prepareVirtual(request, context, parts, signal);
  }
  return request.fromConfig === undefined
    ? await fromCommandLine(request, context, listeners, signal)
    : await fromFile(
        { ...request, fromConfig: request.fromConfig },
        context,
        { ...listeners, trust },
        signal,
      );
}

interface Listeners {
  readonly observer: RunObserver;
  readonly decide: ConsentGate;
}

async function fromCommandLine(
  request: RunRequest,
  context: WorkloadContext,
  { observer, decide }: Listeners,
  signal: AbortSignal,
): Promise<PreparedRun> {
  observer.step('target', `Resolving ${hideUserInfo(request.target ?? 'nothing')}`);
  const sources = sourcesOf(context, observer, signal);
  const prepared = await prepareRequest(request, context, sources, { decide }, signal);
  for (const warning of prepared.warnings) observer.warn(warning);
  const { name, group } = prepared.settings;
  return {
    name: name.value,
    group: group.value,
    consent: prepared.consent,
    settle: async (replaced) => await settleFromRequest(prepared, replaced, context, observer, signal),
  };
}

function sourcesOf(context: WorkloadContext, { ask }: RunObserver, signal: AbortSignal): InputSources {
  return {
    findSecret: (name) => findStoredSecret(name, context, ownerOf('', [], context.store), signal),
    ask: ask === undefined ? undefined : (question) => ask(question, signal),
    unanswered: 'refused',
  };
}

async function settleFromRequest(
  prepared: PreparedRequest,
  replaced: RunConfig | undefined,
  context: WorkloadContext,
  observer: RunObserver,
  signal: AbortSignal,
): Promise<SettledRun> {
  const { container } = prepared.settings;
  // Fail before an image is pulled or built for a container that cannot start.
  const mountPaths = await resolveMounts(mountsOf(container?.profile.profile, context));
  requireAcceptedPaths(prepared.consent, mountPaths, context.home);
  const requested = imageSourceOf(prepared, container, context.kinds);
  const locked = await lockSourceOfRun(requested, prepared.settings, context);
  const { source } = locked;
  for (const warning of locked.warnings) observer.warn(warning);
  for (const note of await noteUnusedCertificates(source, container)) observer.warn(note);
  const mode = container?.imageVerification.value ?? 'disabled';
  const provenance = prepared.entry?.server.provenance;
  if (source?.form === 'image') observer.step('verify', `Verifying ${source.reference}`);
  const tellsUnknown = prepared.entry !== undefined || container?.imageVerification.from === 'flag';
  const verified =
    locked.pinned === undefined ? source : ({ form: 'image', reference: locked.pinned } as const);
  const request = { source: verified, mode, provenance, tellsUnknown };
  const { warnings, pinned = locked.pinned } = await verifyRunImage(request, context, signal);
  for (const warning of warnings) observer.warn(warning);
  if (source !== undefined) announceImage(source, observer);
  const onProgress = observer.image.bind(observer);
  const options = { onProgress, pinned, signal };
  const image = source === undefined ? undefined : await provideImage(source, context, options);
  for (const note of image?.notes ?? []) observer.warn(note);
  observer.step('settings', `Choosing the settings of ${prepared.settings.name.value}`);
  const settled = await settleRequest(prepared, { image, workloads: await context.store.list(), replaced });
  for (const warning of laterWarnings(prepared, settled)) observer.warn(warning);
  return { ...settled, mountPaths };
}

function announceImage(source: ImageSource, observer: RunObserver): void {
  if (source.form === 'image') observer.step('image', `Providing the image ${source.reference}`);
  else observer.step('build', `Providing an image with ${source.scheme}://`);
}

async function fromFile(
  request: RunRequest & { readonly fromConfig: string },
  context: WorkloadContext,
  { observer, decide, trust }: Listeners & Pick<RunOptions, 'trust'>,
  signal: AbortSignal,
): Promise<PreparedRun> {
  const { fromConfig: file, fromDigest: digest = '', fromState, fromText: text } = request;
  observer.step('target', `Reading ${nameOfFile(file)}`);
  const gates = { decide, own: fromState?.text, text };
  const { config, notes, consent, inherited } = await prepareFile(file, context, gates, signal);
  for (const note of notes) observer.warn(note);
  const members = isVirtualServer(config)
    ? await prepareMembers(
        { name: config.name, members: config.members, folder: context.workingDirectory },
        context,
        { observer, trust },
        prepareRun,
        signal,
      )
    : undefined;
  return {
    name: config.name,
    group: config.group === '' ? 'default' : config.group,
    consent: consent ?? inherited,
    ...(members === undefined ? {} : { consents: members.consents }),
    settle: async (replaced) => {
      const onProgress = observer.image.bind(observer);
      const mounts = config.remote_url === '' ? mountsOf(config.permission_profile, context) : [];
      const mountPaths = await resolveMounts(mounts);
      requireAcceptedPaths(consent, mountPaths, context.home);
      if (members === undefined && config.remote_url === '') observer.step('image', announcementOf(config));
      const image = await provideConfigImage(config, digest, context, { onProgress, signal });
      for (const note of image?.notes ?? []) observer.warn(note);
      const settled = await settleFile(config, {
        image,
        transports: context.kinds.transports,
        workloads: await context.store.list(),
        replaced,
      });
      const fromEnvironment = findOidcClientSecret(context)?.value;
      for (const { name, value } of settled.secrets) {
        if (fromState !== undefined || value === fromEnvironment) continue;
        observer.warn(
          `${nameOfFile(file)} contains a secret in clear text, which is stored in the secret store as ${name}.`,
        );
      }
      if (members === undefined) return { ...settled, mountPaths };
      const servers = await members.settle();
      return {
        ...settled,
        config: { ...settled.config, members: servers.members },
        secrets: [...settled.secrets, ...servers.secrets],
        states: servers.states,
      };
    },
  };
}

function announcementOf({ image, run_target: target }: RunConfig): string {
  return image === '' ? `Providing an image of ${target}` : `Providing the image ${image}`;
}
