import {
  type Author,
  type MergedSettings,
  type RunRequest,
  type SettingOrigin,
  addVolumes,
  givenHeaders,
  inlineSecret,
  parseSecretReference,
} from '@portolan/run-spec';
import type { ConsentRequest } from '../../consent/require-consent.ts';
import type { WorkloadContext } from '../../workload-context.ts';
import type { PlannedHeader, PlannedMount, RunPlan } from '../run-plan.ts';
import { planMounts } from './plan-parts.ts';

const AUTHOR_OF_ORIGIN: { readonly [Origin in SettingOrigin]: Author } = {
  flag: 'user',
  user: 'user',
  file: 'file',
  registry: 'entry',
  image: 'package',
  rule: 'portolan',
  default: 'portolan',
};

export function authorOf(from: SettingOrigin): Author {
  return AUTHOR_OF_ORIGIN[from];
}

/**
 * Returns who wrote a run config file. A file that needs no consent is the user's own, because it was
 * exported on this machine.
 */
export function authorOfFile(consent: ConsentRequest | undefined): 'own file' | 'file' {
  return consent === undefined ? 'own file' : 'file';
}

export interface AuthoredParts {
  readonly request: RunRequest;
  readonly settings: MergedSettings;
  readonly hasEntry: boolean;
}

/** Adds to each mount who chose it: the user for flags, the registry entry for its permission profile. */
export function withMountAuthors(
  mounts: readonly Omit<PlannedMount, 'author'>[],
  { settings }: Pick<AuthoredParts, 'settings'>,
  context: Pick<WorkloadContext, 'workingDirectory' | 'home'>,
): readonly PlannedMount[] {
  const { container } = settings;
  const { profile } = addVolumes({}, container?.volumes.value ?? [], context, undefined);
  const ofFlags = planMounts({ permission_profile: profile, remote_url: '' }, context);
  const ofProfile = container?.profile.from === 'registry' ? 'entry' : 'user';
  const ofRuntime = (container?.entryVolumes ?? []).flatMap(({ text, author, place }) => {
    const { profile: own } = addVolumes({}, [text], context, undefined, place);
    return planMounts({ permission_profile: own, remote_url: '' }, context).map((mount) => ({
      ...mount,
      author,
    }));
  });
  const authored = [...ofFlags.map((mount) => ({ ...mount, author: 'user' as const })), ...ofRuntime];
  return mounts.map((mount) => ({
    ...mount,
    author:
      authored.find((one) => one.source === mount.source && one.target === mount.target)?.author ?? ofProfile,
  }));
}

/** Adds to each secret who chose it: the user for flags, the registry entry for its inputs. */
export function withSecretAuthors(
  secrets: readonly Omit<RunPlan['secrets'][number], 'author'>[],
  { request, hasEntry }: Omit<AuthoredParts, 'settings'>,
): RunPlan['secrets'] {
  const named = new Set(
    (request.flags.secrets ?? [])
      .map((text) => parseSecretReference(text, '--secret').target)
      .flatMap((target) => [target, inlineSecret(target)]),
  );
  return secrets.map((secret) => ({
    ...secret,
    author: hasEntry && !named.has(secret.variable) ? 'entry' : 'user',
  }));
}

export function planHeaders({ request, settings, hasEntry }: AuthoredParts): readonly PlannedHeader[] {
  const { add_plaintext_headers: plain = {}, add_headers_from_secret: secret = {} } =
    (settings.remote ?? settings.container)?.headers.value ?? {};
  const named = givenHeaders(request.flags);
  return [...Object.keys(plain), ...Object.keys(secret)]
    .toSorted()
    .map((name) => ({ name, author: hasEntry && !named.has(name.toLowerCase()) ? 'entry' : 'user' }));
}
