import { checkField } from '../run-config/checks/check-fields.ts';
import { settingsConflict } from './settings-errors.ts';
import {
  type ChosenProfile,
  chooseProfile,
  networkModeOf,
  withNetworkMode,
} from '../permissions/permission-profile.ts';
import { describeOpenGateway } from '../permissions/open-gateway.ts';
import { describeOpenNetwork } from '../permissions/open-network.ts';
import { addVolumes } from '../permissions/profile-mounts.ts';
import type { RuntimeConfig } from '../run-config/parts.ts';
import { decideIsolation } from './decide-isolation.ts';
import type { ContainerSettings, MergeInput } from './merged-settings.ts';
import { mergePlainOfContainer } from './plain-settings.ts';
import { pickSetting, type Setting } from './setting.ts';

/** Settings of the container and its network. Throws what their parsers throw, and ERR_SETTINGS_CONFLICT. */
export function mergeContainer(input: MergeInput, warnings: string[]): ContainerSettings {
  const { flags } = input.request;
  const plain = mergePlainOfContainer(input);
  const profile = mergeProfile(input, plain.volumes.value, warnings);
  const network = pickSetting(
    [
      { value: flags.network, from: 'flag', by: '--network' },
      { value: profile.profile.network?.mode, from: originOf(profile), by: 'the permission profile' },
    ],
    '',
  );
  const isolation = decideIsolation({
    network: networkModeOf(network.value),
    asked: flags.isolateNetwork,
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
    profile,
    network,
    isolateNetwork: isolation,
    runtime: mergeRuntime(input),
  };
}

function originOf({ from }: ChosenProfile): Setting<unknown>['from'] {
  return from;
}

function mergeProfile(input: MergeInput, volumes: readonly string[], warnings: string[]): ChosenProfile {
  const { request, profileFile, entry, context } = input;
  const { permissionProfile, network } = request.flags;
  const chosen = chooseProfile(permissionProfile, profileFile, entry?.server.permissions);
  const mounted = addVolumes(chosen.profile, volumes, context, chosen.named);
  warnings.push(...mounted.warnings);
  return {
    ...chosen,
    profile: network === undefined ? mounted.profile : withNetworkMode(mounted.profile, network),
  };
}

/** The scheme of the package that is run, named or in the entry; undefined when it is no package. */
export function schemeOf({ target, entry }: Pick<MergeInput, 'target' | 'entry'>): string | undefined {
  if (target.from === 'scheme') return target.scheme;
  const runs = entry?.server.runs;
  return runs?.form === 'package' ? runs.scheme : undefined;
}

/** What an image is built with: the flags as a whole, else the user's settings for the scheme. */
function mergeRuntime({ request, user, ...input }: MergeInput): Setting<RuntimeConfig | undefined> {
  const { runtimeImage, runtimeAddPackages, buildWith } = request.flags;
  const asked = {
    '--runtime-image': runtimeImage,
    '--runtime-add-package': runtimeAddPackages,
    '--build-with': buildWith,
  };
  const given = Object.entries(asked).filter(([, value]) => value !== undefined);
  const scheme = schemeOf(input);
  if (scheme === undefined) {
    const [first] = given;
    if (first !== undefined) throw settingsConflict(first[0], 'what is run', 'only packages are built');
    return { value: undefined, from: 'default', by: 'built in' };
  }
  const ofUser = Object.hasOwn(user.runtimeConfigs, scheme) ? user.runtimeConfigs[scheme] : undefined;
  const setting: Setting<RuntimeConfig | undefined> =
    given.length > 0
      ? {
          value: {
            builder_image: runtimeImage ?? '',
            additional_packages: runtimeAddPackages ?? [],
            build_with: buildWith ?? [],
            runtime_env: {},
          },
          from: 'flag',
          by: given.map(([flag]) => flag).join(', '),
        }
      : pickSetting([{ value: ofUser, from: 'user', by: `runtime_configs.${scheme}` }], undefined);
  if (setting.value !== undefined) {
    checkRuntime(setting.value, scheme, setting.from === 'flag' ? 'flag' : setting.by);
  }
  return setting;
}

/**
 * Checks what an image is built with, since build commands contain it; `place` is where it stands. Throws ERR_SETTING
 * and ERR_SETTINGS_CONFLICT.
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
