import { badPermissionProfile } from './permission-errors.ts';

/** Form of the JSON file. */
export interface PermissionProfile {
  readonly name?: string;
  readonly read?: readonly string[];
  readonly write?: readonly string[];
  /** Undefined permits all outgoing traffic. */
  readonly network?: NetworkPermissions;
  readonly privileged?: boolean;
}

export interface NetworkPermissions {
  /** `''`, `bridge` and `default` are the bridge; otherwise `host`, `none` or the name of a network. */
  readonly mode?: string;
  /** Undefined permits no outgoing traffic. */
  readonly outbound?: OutboundPermissions;
  readonly inbound?: { readonly allow_host?: readonly string[] };
}

export interface OutboundPermissions {
  readonly insecure_allow_all?: boolean;
  /** A leading dot includes all subdomains. */
  readonly allow_host?: readonly string[];
  readonly allow_port?: readonly number[];
}

/** Older files use `stdio` for `none`. */
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

/** Returns undefined for a path. */
export function findBuiltInProfile(name: string): PermissionProfile | undefined {
  return Object.entries(BUILT_IN_PROFILES).find(([known]) => known === name)?.[1];
}

export type ProfileOrigin = 'file' | 'flag' | 'registry' | 'default';

export interface ChosenProfile {
  readonly profile: PermissionProfile;
  readonly from: ProfileOrigin;
  /** Built-in name or file path; undefined for the registry's. */
  readonly named: string | undefined;
}

/** Prefers the flag over the registry entry over `network`. `fromFile` is the content of the flag's file. */
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
