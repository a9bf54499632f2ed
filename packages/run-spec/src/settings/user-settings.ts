import { FieldReader } from '../document/field-reader.ts';
import { isJsonObject, type JsonMembers, memberOf } from '../document/json-members.ts';
import { DRIFT_REACTIONS, type DriftReaction } from '../run-config/choices.ts';
import { oneOf } from '../parse/text-faults.ts';
import { badUserSettings } from './settings-errors.ts';
import { readRuntime, type RuntimeConfig } from '../run-config/parts.ts';
import {
  NO_TELEMETRY_DEFAULTS,
  readTelemetryDefaults,
  type TelemetryDefaults,
} from './telemetry-defaults.ts';
import { type BuildSettings, NO_BUILD_SETTINGS, readBuildSettings } from './build-settings.ts';

/** Address of the registry of the MCP project, to which anyone may publish. */
export const OFFICIAL_REGISTRY = 'https://registry.modelcontextprotocol.io';

/** Returns whether an address leads to the public default registry, in any spelling. */
export function isPublicRegistry(address: string): boolean {
  const host = URL.parse(address)?.hostname.replace(/\.$/, '');
  return host === URL.parse(OFFICIAL_REGISTRY)?.hostname;
}

/** Settings that `portolan config` writes and `run` reads. */
export interface UserSettings {
  readonly caCertificatePath: string | undefined;
  readonly registryUrl: string | undefined;
  readonly registryApiUrl: string | undefined;
  readonly localRegistryPath: string | undefined;
  /** Whether the default registry is used when these settings name no registry. */
  readonly usesDefaultRegistry: boolean;
  /** API address of the default registry; the caller sets it, not the file. Undefined for none. */
  readonly defaultRegistryUrl: string | undefined;
  /** Whether registries may have private addresses, or use http, for compatibility. */
  readonly allowPrivateRegistryAddress: boolean;
  readonly allowHttpRegistry: boolean;
  readonly registryAuth: RegistryAuth;
  readonly runtimeConfigs: Readonly<Record<string, RuntimeConfig>>;
  readonly gatewayImage: string | undefined;
  /** Path of the lock file of workloads that name none. */
  readonly lockFile: string | undefined;
  readonly drift: DriftReaction | undefined;
  /** First root of GitHub's TUF repository, for image verification. */
  readonly githubTrustRoot: string | undefined;
  /** Hosts that a build may connect to, in addition to those of the package's ecosystem. */
  readonly buildAllowHost: readonly string[];
  readonly build: BuildSettings;
  /** Configured secret store; undefined before `secret setup`. */
  readonly secretsProvider: string | undefined;
  readonly telemetry: TelemetryDefaults;
  /** MCP clients that use workloads without a group. */
  readonly registeredClients: readonly string[];
  /** Addresses of registries whose entries need no consent. */
  readonly trustedRegistries: readonly string[];
}

/** Login settings for the registry. The registry determines undefined ones. */
export interface RegistryAuth {
  readonly issuer: string | undefined;
  readonly clientId: string | undefined;
  /** Name of the stored client secret, never its value. */
  readonly clientSecret: string | undefined;
  readonly audience: string | undefined;
  readonly scopes: readonly string[] | undefined;
}

export const NO_REGISTRY_AUTH: RegistryAuth = {
  issuer: undefined,
  clientId: undefined,
  clientSecret: undefined,
  audience: undefined,
  scopes: undefined,
};

export const NO_USER_SETTINGS: UserSettings = {
  caCertificatePath: undefined,
  registryUrl: undefined,
  registryApiUrl: undefined,
  localRegistryPath: undefined,
  usesDefaultRegistry: true,
  defaultRegistryUrl: undefined,
  allowPrivateRegistryAddress: false,
  allowHttpRegistry: false,
  registryAuth: NO_REGISTRY_AUTH,
  runtimeConfigs: {},
  gatewayImage: undefined,
  lockFile: undefined,
  drift: undefined,
  githubTrustRoot: undefined,
  buildAllowHost: [],
  build: NO_BUILD_SETTINGS,
  secretsProvider: undefined,
  telemetry: NO_TELEMETRY_DEFAULTS,
  registeredClients: [],
  trustedRegistries: [],
};

/**
 * Parses the user's settings, and ignores keys that do not concern a run. Passes every problem to `refuse`;
 * without `refuse`, throws ERR_USER_SETTINGS.
 */
export function readUserSettings(
  value: unknown,
  file: string,
  refuse: (problems: readonly string[]) => void = (problems) => {
    throw badUserSettings(file, problems);
  },
): UserSettings {
  if (value === undefined || value === null) return NO_USER_SETTINGS;
  const fields = new FieldReader('');
  if (!isJsonObject(value)) {
    refuse(['the document: expected a map']);
    return NO_USER_SETTINGS;
  }
  const text = (map: JsonMembers, key: string, at = ''): string | undefined =>
    fields.text(map, key, at) === '' ? undefined : fields.text(map, key, at);
  const gateway = fields.map(memberOf(value, 'gateway'), 'gateway');
  const build = fields.map(memberOf(value, 'build'), 'build');
  const verification = fields.map(memberOf(value, 'verification'), 'verification');
  const lock = fields.map(memberOf(value, 'lock'), 'lock');
  const secrets = fields.map(memberOf(value, 'secrets'), 'secrets');
  const isSetUp =
    secrets['setup_completed'] === undefined || fields.truth(secrets, 'setup_completed', 'secrets');
  const provider = text(secrets, 'provider_type', 'secrets');
  const clients = fields.map(memberOf(value, 'clients'), 'clients');
  const settings: UserSettings = {
    caCertificatePath: text(value, 'ca_certificate_path'),
    registryUrl: text(value, 'registry_url'),
    registryApiUrl: text(value, 'registry_api_url'),
    localRegistryPath: text(value, 'local_registry_path'),
    usesDefaultRegistry: !('default_registry' in value) || fields.truth(value, 'default_registry'),
    defaultRegistryUrl: undefined,
    allowPrivateRegistryAddress: fields.truth(value, 'allow_private_registry_ip'),
    allowHttpRegistry: fields.truth(value, 'allow_http_registry'),
    registryAuth: readRegistryAuth(fields, value),
    runtimeConfigs: readRuntimeConfigs(fields, value),
    gatewayImage: text(gateway, 'image', 'gateway'),
    lockFile: text(lock, 'file', 'lock'),
    drift: readDrift(fields, lock),
    githubTrustRoot: text(verification, 'github_root', 'verification'),
    buildAllowHost: fields.texts(build, 'allow_host', 'build'),
    build: readBuildSettings(fields, value),
    secretsProvider: isSetUp ? provider : undefined,
    telemetry: readTelemetryDefaults(fields, value),
    registeredClients: fields.texts(clients, 'registered_clients', 'clients'),
    trustedRegistries: readTrustedRegistries(fields, value),
  };
  if (fields.problems.length > 0) refuse([...new Set(fields.problems)]);
  return settings;
}

/** Returns whether the default registry applies: the user has set no registry. */
export function asksDefaultRegistry(user: UserSettings): boolean {
  const { registryApiUrl, registryUrl, localRegistryPath, defaultRegistryUrl } = user;
  return (
    [registryApiUrl, registryUrl, localRegistryPath].every((own) => own === undefined) &&
    defaultRegistryUrl !== undefined
  );
}

function readDrift(fields: FieldReader, lock: JsonMembers): DriftReaction | undefined {
  const text = fields.text(lock, 'drift', 'lock');
  const reaction = DRIFT_REACTIONS.find((one) => one === text);
  if (reaction === undefined && text !== '') fields.problem('lock.drift', text, oneOf(DRIFT_REACTIONS));
  return reaction;
}

function readRegistryAuth(fields: FieldReader, value: JsonMembers): RegistryAuth {
  const auth = fields.map(memberOf(value, 'registry_auth'), 'registry_auth');
  const at = 'registry_auth.oauth';
  const oauth = fields.map(memberOf(auth, 'oauth'), at);
  const text = (key: string): string | undefined => fields.text(oauth, key, at) || undefined;
  const scopes = fields.texts(oauth, 'scopes', at);
  return {
    issuer: text('issuer'),
    clientId: text('client_id'),
    clientSecret: text('client_secret'),
    audience: text('audience'),
    scopes: scopes.length === 0 ? undefined : scopes,
  };
}

/** Parses addresses of trusted registries. Rejects the public registry, to which anyone may publish. */
function readTrustedRegistries(fields: FieldReader, value: JsonMembers): readonly string[] {
  const trust = fields.map(memberOf(value, 'trust'), 'trust');
  const registries = fields.texts(trust, 'registries', 'trust');
  for (const [index, address] of registries.entries()) {
    const expected = expectedTrustedRegistry(address);
    if (expected !== undefined) fields.problem(`trust.registries[${index}]`, address, expected);
  }
  return registries;
}

/** Returns what was expected of an invalid address; undefined for a valid one. */
export function expectedTrustedRegistry(address: string): string | undefined {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol))
    return 'the address of a registry, such as https://registry.acme.example';
  return isPublicRegistry(address) ? 'a curated registry: anybody may publish to this one' : undefined;
}

function readRuntimeConfigs(
  fields: FieldReader,
  value: JsonMembers,
): Readonly<Record<string, RuntimeConfig>> {
  const configs = fields.map(memberOf(value, 'runtime_configs'), 'runtime_configs');
  return Object.fromEntries(
    Object.entries(configs).map(([scheme, config]) => {
      const at = `runtime_configs.${scheme}`;
      return [scheme, readRuntime(fields, fields.map(config, at), at)];
    }),
  );
}
