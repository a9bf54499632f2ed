import { badPermissionProfile } from './permission-errors.ts';

/** Permission profile in the form of its JSON file. */
export interface PermissionProfile {
  readonly name?: string;
  readonly read?: readonly string[];
  readonly write?: readonly string[];
  /** Network permissions. Undefined permits all outgoing traffic. */
  readonly network?: NetworkPermissions;
  readonly privileged?: boolean;
}

export interface NetworkPermissions {
  /**
   * Network mode. `''`, `bridge` and `default` mean the bridge network; otherwise `host`, `none` or the name
   * of a network.
   */
  readonly mode?: string;
  /** Permitted destinations. Undefined permits no outgoing traffic. */
  readonly outbound?: OutboundPermissions;
  readonly inbound?: { readonly allow_host?: readonly string[] };
}

export interface OutboundPermissions {
  readonly insecure_allow_all?: boolean;
  /** A leading dot includes all subdomains. */
  readonly allow_host?: readonly string[];
  readonly allow_port?: readonly number[];
}

/** Built-in profiles by name. `stdio` is the name of `none` in older files. */
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

/** Returns a built-in profile by its name; undefined for other text, which is a path. */
export function findBuiltInProfile(name: string): PermissionProfile | undefined {
  return Object.entries(BUILT_IN_PROFILES).find(([known]) => known === name)?.[1];
}

export type ProfileOrigin = 'file' | 'flag' | 'registry' | 'default';

export interface ChosenProfile {
  readonly profile: PermissionProfile;
  readonly from: ProfileOrigin;
  /** Built-in name or file path of the profile; undefined for a profile from the registry. */
  readonly named: string | undefined;
}

/**
 * Chooses the profile of the flag, else of the registry entry, else the built-in `network`. `fromFile` is the
 * content of the file that the flag names.
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

export type NetworkMode =
  | { readonly mode: 'bridge' | 'host' | 'none' }
  | { readonly mode: 'named'; readonly name: string };

export function networkModeOf(text: string | undefined): NetworkMode {
  if (text === undefined || text === '' || text === 'bridge' || text === 'default') return { mode: 'bridge' };
  return text === 'host' || text === 'none' ? { mode: text } : { mode: 'named', name: text };
}

export function withNetworkMode(profile: PermissionProfile, mode: string): PermissionProfile {
  const network = profile.network ?? { outbound: { insecure_allow_all: true } };
  return { ...profile, network: { ...network, mode } };
}
