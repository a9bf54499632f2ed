import { checkField } from '../run-config/checks/check-fields.ts';
import { settingsConflict } from './settings-errors.ts';
import {
  type ChosenProfile,
  chooseProfile,
  networkModeOf,
  withNetworkMode,
  type NetworkMode,
} from '../permissions/permission-profile.ts';
import { describeOpenGateway } from '../permissions/open-gateway.ts';
import { describeOpenNetwork } from '../permissions/open-network.ts';
import { addVolumes } from '../permissions/profile-mounts.ts';
import type { RuntimeConfig } from '../run-config/parts.ts';
import { findKnownNeeds, KNOWN_PROGRAMS_REVIEWED } from './known-programs.ts';
import type { ContainerSettings } from './merged-settings.ts';
import type { MergeInput } from './merge-input.ts';
import { mergeHeaders } from './merge-remote.ts';
import {
  buildOfEntry,
  type EntryVolume,
  networkOfEntry,
  portsOfEntry,
  refuseBlockers,
  volumesOfEntry,
} from './entry-runtime.ts';
import { mergePlain, mergePlainOfContainer } from './plain-settings.ts';
import { pickSetting, type Setting } from './setting.ts';

/** Merges the settings of a container. Throws errors of the parsers, and ERR_SETTINGS_CONFLICT. */
export function mergeContainer(input: MergeInput, warnings: string[]): ContainerSettings {
  const { flags } = input.request;
  const ofFlags = mergePlainOfContainer(input);
  const ports = portsOfEntry(input, mergePlain(input).host.value, warnings);
  const plain = { ...ofFlags, publish: addPorts(ofFlags.publish, ports) };
  const entryVolumes = volumesOfEntry(input);
  const narrowed = networkOfEntry(input);
  const profile = mergeProfile(input, { volumes: plain.volumes.value, entryVolumes, narrowed }, warnings);
  refuseBlockers(input, profile);
  const network = pickSetting(
    [
      { value: flags.network, from: 'flag', by: '--network' },
      { value: narrowed, from: 'registry', by: BY_RUNTIME },
      { value: profile.profile.network?.mode, from: originOf(profile), by: 'the permission profile' },
    ],
    '',
  );
  const isolation = decideIsolation({
    network: networkModeOf(network.value),
    isRequested: flags.isolateNetwork,
    publishes: plain.publish.value.length > 0,
  });
  const open = describeOpenNetwork(profile.profile, isolation.value);
  if (open !== undefined) warnings.push(open);
  const gateway = describeOpenGateway(profile.profile, {
    isIsolated: isolation.value,
    isAllowed: plain.allowContainerGateway.value,
  });
  if (gateway !== undefined) warnings.push(gateway);
  return {
    ...plain,
    headers: mergeHeaders(input),
    profile,
    entryVolumes,
    network,
    isolateNetwork: isolation,
    runtime: mergeRuntime(input),
  };
}

function originOf({ from }: ChosenProfile): Setting<unknown>['from'] {
  return from;
}

const BY_RUNTIME = 'runtimeArguments of the entry';

function addPorts(setting: Setting<readonly string[]>, ports: readonly string[]): Setting<readonly string[]> {
  if (ports.length === 0) return setting;
  const origin = setting.value.length > 0 ? setting : { from: 'registry' as const, by: BY_RUNTIME };
  return { ...origin, value: [...setting.value, ...ports.filter((port) => !setting.value.includes(port))] };
}

interface VolumeParts {
  readonly volumes: readonly string[];
  readonly entryVolumes: readonly EntryVolume[];
  /** Network mode that the runtime arguments of the registry entry request. */
  readonly narrowed: string | undefined;
}

function mergeProfile(
  input: MergeInput,
  { volumes, entryVolumes, narrowed }: VolumeParts,
  warnings: string[],
): ChosenProfile {
  const { request, profileFile, entry, context } = input;
  const { permissionProfile, network } = request.flags;
  const chosen = chooseProfile(permissionProfile, profileFile, entry?.server.permissions);
  const profileWithVolumes = addVolumes(chosen.profile, volumes, context, chosen.named);
  warnings.push(...profileWithVolumes.warnings);
  let { profile } = profileWithVolumes;
  for (const { text, place } of entryVolumes) {
    const mounted = addVolumes(profile, [text], context, chosen.named, place);
    warnings.push(...mounted.warnings.filter((warning) => !profileWithVolumes.warnings.includes(warning)));
    ({ profile } = mounted);
  }
  const mode = network ?? narrowed;
  return { ...chosen, profile: mode === undefined ? profile : withNetworkMode(profile, mode) };
}

export function schemeOf({ target, entry }: Pick<MergeInput, 'target' | 'entry'>): string | undefined {
  if (target.from === 'scheme') return target.scheme;
  const runs = entry?.server.runs;
  return runs?.form === 'package' ? runs.scheme : undefined;
}

/** Returns the build settings of the flags; without any such flag, the user's settings for the scheme. */
function mergeRuntime(input: MergeInput): Setting<RuntimeConfig | undefined> {
  const setting = mergeEntryRuntime(input);
  const scheme = schemeOf(input);
  if (scheme === undefined) return setting;
  const needs = findKnownNeeds(scheme, packageOf(input), setting.value?.builder_image ?? '');
  if (needs.packages.length === 0) return setting;
  const { additional_packages = [], build_with = [], runtime_env = {} } = setting.value ?? {};
  const value = {
    builder_image: needs.baseImage,
    additional_packages: [...new Set([...additional_packages, ...needs.packages])],
    build_with,
    runtime_env: { ...needs.environment, ...runtime_env },
  };
  const by = `programs that the package is known to need (${KNOWN_PROGRAMS_REVIEWED})`;
  return setting.value === undefined
    ? { value, from: 'rule', by }
    : { ...setting, value, by: `${setting.by}, ${by}` };
}

function packageOf({ target, entry }: Pick<MergeInput, 'target' | 'entry'>): string {
  if (target.from === 'scheme') return target.package;
  const runs = entry?.server.runs;
  return runs?.form === 'package' ? runs.package : '';
}

function mergeEntryRuntime(input: MergeInput): Setting<RuntimeConfig | undefined> {
  const setting = mergeOwnRuntime(input);
  const ofEntry = buildOfEntry(input);
  const scheme = schemeOf(input);
  if (ofEntry === undefined || scheme === undefined) return setting;
  const { value: own } = setting;
  const value: RuntimeConfig = {
    builder_image: own?.builder_image || ofEntry.builder_image,
    additional_packages: own?.additional_packages ?? [],
    build_with: [...new Set([...(own?.build_with ?? []), ...ofEntry.build_with])],
    runtime_env: own?.runtime_env ?? {},
  };
  checkRuntime(value, scheme, BY_RUNTIME);
  return own === undefined ? { value, from: 'registry', by: BY_RUNTIME } : { ...setting, value };
}

function mergeOwnRuntime({ request, user, ...input }: MergeInput): Setting<RuntimeConfig | undefined> {
  const { runtimeImage, runtimeAddPackages, buildWith } = request.flags;
  const query = {
    '--runtime-image': runtimeImage,
    '--runtime-add-package': runtimeAddPackages,
    '--build-with': buildWith,
  };
  const inputs = Object.entries(query).filter(([, value]) => value !== undefined);
  const scheme = schemeOf(input);
  if (scheme === undefined) {
    const [first] = inputs;
    if (first !== undefined) throw settingsConflict(first[0], 'what is run', 'only packages are built');
    return { value: undefined, from: 'default', by: 'built in' };
  }
  const ofUser = Object.hasOwn(user.runtimeConfigs, scheme) ? user.runtimeConfigs[scheme] : undefined;
  const setting: Setting<RuntimeConfig | undefined> =
    inputs.length > 0
      ? {
          value: {
            builder_image: runtimeImage ?? '',
            additional_packages: runtimeAddPackages ?? [],
            build_with: buildWith ?? [],
            runtime_env: {},
          },
          from: 'flag',
          by: inputs.map(([flag]) => flag).join(', '),
        }
      : pickSetting([{ value: ofUser, from: 'user', by: `runtime_configs.${scheme}` }], undefined);
  if (setting.value !== undefined) {
    checkRuntime(setting.value, scheme, setting.from === 'flag' ? 'flag' : setting.by);
  }
  return setting;
}

/**
 * Checks build settings, which become part of build commands. Throws ERR_SETTING and ERR_SETTINGS_CONFLICT.
 */
export function checkRuntime(runtime: RuntimeConfig, scheme: string, place = 'runtime_config'): void {
  for (const [part, value] of Object.entries(runtime)) {
    if (value !== '') checkField(`runtime_config.${part as keyof RuntimeConfig}`, value, `${place}.${part}`);
  }
  if (runtime.build_with.length > 0 && scheme !== 'uvx') {
    const setting = place === 'flag' ? '--build-with' : `${place}.build_with`;
    throw settingsConflict(setting, `${scheme}://`, 'only uvx:// knows constraints');
  }
}

interface IsolationFacts {
  readonly network: NetworkMode;
  /** Value of `--isolate-network`; undefined without the flag. */
  readonly isRequested: boolean | undefined;
  readonly publishes: boolean;
}

/**
 * Decides on network isolation, which is on by default where it is possible. Throws ERR_SETTINGS_CONFLICT for
 * an explicit request where it is impossible, and for published ports on the host's network.
 */
export function decideIsolation({ network, isRequested, publishes }: IsolationFacts): Setting<boolean> {
  const named = network.mode === 'named' ? network.name : network.mode;
  if (network.mode === 'host' && publishes) {
    throw settingsConflict(
      '--publish',
      '--network host',
      'every port of the container is one of the host already',
    );
  }
  if (network.mode === 'none') {
    return { value: false, from: 'rule', by: 'there is no network to isolate' };
  }
  if (network.mode === 'bridge') {
    return isRequested === undefined
      ? { value: true, from: 'default', by: 'built in' }
      : { value: isRequested, from: 'flag', by: '--isolate-network' };
  }
  if (isRequested === true) {
    throw settingsConflict('--isolate-network', `--network ${named}`, 'that network cannot be isolated');
  }
  return isRequested === false
    ? { value: false, from: 'flag', by: '--isolate-network' }
    : { value: false, from: 'rule', by: `the network ${named} cannot be isolated` };
}
