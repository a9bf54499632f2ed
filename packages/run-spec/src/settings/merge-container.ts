import { findImageReference } from '@portolan/outbound';
import { badSetting, settingsConflict } from './settings-errors.ts';
import {
  type ChosenProfile,
  chooseProfile,
  networkModeOf,
  withNetworkMode,
} from '../permissions/permission-profile.ts';
import { addVolumes } from '../permissions/profile-mounts.ts';
import type { RuntimeConfig } from '../run-config/parts.ts';
import { expectedVariableName, expectedVariableValue } from './build-variables.ts';
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
  if (isolation.warning !== undefined) warnings.push(isolation.warning);
  return {
    ...plain,
    profile,
    network,
    isolateNetwork: isolation.isolated,
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

const PACKAGE = /^[a-zA-Z0-9][a-zA-Z0-9._+-]{0,127}$/;
const BUILD_WITH = /^[a-zA-Z0-9][a-zA-Z0-9._+[\],<>=!~* -]{0,127}$/;

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
  if (setting.value !== undefined) checkRuntime(setting.value, scheme);
  return setting;
}

/** Throws ERR_SETTING and ERR_SETTINGS_CONFLICT: what is built with becomes part of a build's commands. */
export function checkRuntime(runtime: RuntimeConfig, scheme: string): void {
  const {
    builder_image: image,
    additional_packages: packages,
    build_with: buildWith,
    runtime_env: variables,
  } = runtime;
  if (image !== '' && findImageReference(image) === undefined) {
    throw badSetting('--runtime-image', image, 'an image reference');
  }
  for (const name of packages) {
    if (!PACKAGE.test(name)) throw badSetting('--runtime-add-package', name, 'the name of a system package');
  }
  if (buildWith.length > 0 && scheme !== 'uvx') {
    throw settingsConflict('--build-with', `${scheme}://`, 'only uvx:// knows constraints');
  }
  for (const text of buildWith) {
    if (!BUILD_WITH.test(text)) throw badSetting('--build-with', text, 'a requirement such as pydantic<2.13');
  }
  for (const [name, value] of Object.entries(variables)) {
    const expectedName = expectedVariableName(name);
    if (expectedName !== undefined) throw badSetting('runtime_env', name, expectedName);
    const expected = expectedVariableValue(value);
    if (expected !== undefined)
      throw badSetting(`runtime_env.${name}`, 'a text with special characters', expected);
  }
}
