import { badPermissionProfile } from './permission-errors.ts';

/** What a container may touch, in the shape of its JSON file. */
export interface PermissionProfile {
  readonly name?: string;
  /** Mounts that can be read only. */
  readonly read?: readonly string[];
  readonly write?: readonly string[];
  /** Without it everything may leave. */
  readonly network?: NetworkPermissions;
  readonly privileged?: boolean;
}

export interface NetworkPermissions {
  /** `''`, `bridge` and `default` are the bridge; else `host`, `none` or the name of a network. */
  readonly mode?: string;
  /** Without it nothing may leave. */
  readonly outbound?: OutboundPermissions;
  readonly inbound?: { readonly allow_host?: readonly string[] };
}

export interface OutboundPermissions {
  readonly insecure_allow_all?: boolean;
  /** Hosts; with a leading dot, also everything below. */
  readonly allow_host?: readonly string[];
  readonly allow_port?: readonly number[];
}

/** The profiles that have a name; older files say `stdio` for `none`. */
export const BUILT_IN_PROFILES: Readonly<Record<'none' | 'network' | 'stdio', PermissionProfile>> = {
  none: builtInProfile('none', false),
  network: builtInProfile('network', true),
  stdio: builtInProfile('none', false),
};

function builtInProfile(name: string, allowsAll: boolean): PermissionProfile {
  return {
    name,
    read: [],
    write: [],
    network: { outbound: { insecure_allow_all: allowsAll, allow_host: [], allow_port: [] } },
    privileged: false,
  };
}

/** The built-in profile of a name; undefined when the text is a path. */
export function findBuiltInProfile(name: string): PermissionProfile | undefined {
  return Object.entries(BUILT_IN_PROFILES).find(([known]) => known === name)?.[1];
}

/** Where a profile is from, for `plan`. */
export type ProfileOrigin = 'file' | 'flag' | 'registry' | 'default';

export interface ChosenProfile {
  readonly profile: PermissionProfile;
  readonly from: ProfileOrigin;
  /** Name of the built-in one, or path of the file; undefined for the registry's. */
  readonly named: string | undefined;
}

/**
 * The profile that counts: what the flag names, then that of the registry entry,
 * then `network`. `fromFile` is the content of the file that the flag names,
 * when its name is no built-in one.
 */
export function chooseProfile(
  named: string | undefined,
  fromFile: PermissionProfile | undefined,
  fromRegistry: PermissionProfile | undefined,
): ChosenProfile {
  if (named !== undefined) {
    const profile = findBuiltInProfile(named) ?? fromFile;
    if (profile !== undefined) return { profile, from: 'flag', named };
    throw badPermissionProfile(named, ['it is neither none nor network, and no file was read']);
  }
  if (fromRegistry !== undefined) return { profile: fromRegistry, from: 'registry', named: undefined };
  return { profile: BUILT_IN_PROFILES.network, from: 'default', named: 'network' };
}

/** How the container is connected. */
export type NetworkMode =
  | { readonly mode: 'bridge' | 'host' | 'none' }
  | { readonly mode: 'named'; readonly name: string };

/** What `--network`, or `mode` of a profile, stands for. */
export function networkModeOf(text: string | undefined): NetworkMode {
  if (text === undefined || text === '' || text === 'bridge' || text === 'default') return { mode: 'bridge' };
  return text === 'host' || text === 'none' ? { mode: text } : { mode: 'named', name: text };
}

/** The profile with another network mode, as `--network` asks for. */
export function withNetworkMode(profile: PermissionProfile, mode: string): PermissionProfile {
  const network = profile.network ?? { outbound: { insecure_allow_all: true } };
  return { ...profile, network: { ...network, mode } };
}
