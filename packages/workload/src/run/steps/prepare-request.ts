import {
  type MergedSettings,
  type RunConfig,
  type RunFlagName,
  type RunRequest,
  createRunConfig,
  flagRow,
  mergeSettings,
  nameServer,
  remoteAuthOf,
  RUN_FLAG_NAMES,
  describeForm,
  typedFlag,
} from '@portolan/run-spec';
import { trustAuthorities } from '../../build/trust-authorities.ts';
import { checkPublishedLogin } from '../../login/published-login.ts';
import { demandsOfEntry, type EntryOfRun } from '../../consent/demands-of-run.ts';
import type { ConsentGate, ConsentRequest } from '../../consent/require-consent.ts';
import type { WorkloadContext } from '../../workload-context.ts';
import { resolveInputs, type InputSources } from './read/resolve-inputs.ts';
import { findOidcClientSecret } from './oidc-client-secret.ts';
import { nameFlag } from './name-flag.ts';
import { readInputs } from './read/read-inputs.ts';
import { pathOf, type PolicyFile } from './read/read-policy-files.ts';
import { requireAuthProvider, requireKeys } from './check/require-auth-provider.ts';
import { requireCredentials } from './check/require-credentials.ts';
import { requireGroup } from './check/require-group.ts';
import { requirePolicies } from './check/require-middleware.ts';
import { requireSessionStore } from './check/require-session-store.ts';
import { type ResolvedTarget, resolveMembers, resolveTarget } from './resolve-target.ts';
import { findTokenExchangeSecret } from './token-exchange-secret.ts';

/** Merged settings of a command line, before any image is inspected. */
export interface PreparedRequest extends ResolvedTarget {
  readonly consent: ConsentRequest | undefined;
  readonly settings: MergedSettings;
  readonly withExposedPorts: (ports: readonly number[]) => MergedSettings;
  readonly missing: readonly string[];
  readonly warnings: readonly string[];
}

/** Resolves the target, reads files, asks for missing inputs, and merges the settings. */
export async function prepareRequest(
  request: RunRequest,
  context: WorkloadContext,
  sources: InputSources,
  { decide, virtual }: RequestGates,
  signal: AbortSignal,
): Promise<PreparedRequest> {
  await nameFlag('cliCaBundle', () => trustAuthorities(bundleOf(request, context), context));
  const resolved =
    virtual === undefined
      ? await resolveTarget(request.target, context, signal)
      : resolveMembers(request.flags, context);
  const server = resolved.entry?.server;
  const inputs = await readInputs(request.flags, context, signal);
  const tokenExchangeSecret = await findTokenExchangeSecret(request.flags, context, signal);
  const answered =
    server === undefined ? undefined : await resolveInputs(server, request, inputs.environment, sources);
  const merge = (exposedPorts: readonly number[] | undefined): MergedSettings =>
    mergeSettings({
      request,
      target: resolved.target,
      entry: server === undefined || answered === undefined ? undefined : { server, filled: answered.filled },
      storedSecrets: answered?.stored ?? [],
      user: context.user,
      transports: context.kinds.transports,
      environment: inputs.environment,
      profileFile: inputs.profileFile,
      policyFiles: withMembersFile(inputs.policyFiles, virtual),
      membersFile: virtual,
      tokenExchangeSecret,
      oidcClientSecret: findOidcClientSecret(context),
      exposedPorts,
      context: { workingDirectory: context.workingDirectory, home: context.home },
      clock: context.clock,
    });
  const settings = merge(undefined);
  if (server !== undefined && answered !== undefined) {
    const { requireIndexes } = await import('../../build/require-indexes.ts');
    await requireIndexes(
      { target: resolved.target, entry: { server, filled: answered.filled } },
      context,
      signal,
    );
  }
  await requireNamed({ request, settings }, context);
  const consent = await consentOf(resolved, { settings, secrets: answered?.taken ?? [] }, context, signal);
  if (consent === undefined || (await decide(consent)))
    await checkLoginOf({ request, resolved, settings }, context, signal);
  await requireSessionStore({ session_store: settings.sessionStore.value }, context);
  const callers = createRunConfig({ name: settings.name.value, oidc_config: settings.oidc });
  await nameFlag('jwksAuthTokenFile', () => requireKeys(callers, context));
  await requireAuthProvider(callers, context);
  const messages = [
    ...(await requirePolicies(settings, placesOf(request, inputs.policyFiles), context)),
    ...(await nameFlag('remoteCredentials', () => requireCredentials(credentialsIn(settings), context))),
  ];
  return {
    ...resolved,
    consent,
    settings,
    withExposedPorts: merge,
    missing: (answered?.missing ?? []).map(({ name }) => name),
    warnings: [
      ...(resolved.doubt === undefined ? [] : [resolved.doubt]),
      ...(resolved.entry?.warnings ?? []),
      ...inputs.warnings,
      ...(answered?.warnings ?? []),
      ...(server?.notes ?? []),
      ...settings.warnings,
      ...messages,
    ],
  };
}

/** Returns the policy files, after the settings of the members file. */
function withMembersFile(
  files: readonly PolicyFile[],
  virtual: VirtualSettings | undefined,
): readonly PolicyFile[] {
  return virtual === undefined ? files : [{ flag: 'members', fields: virtual.fields }, ...files];
}

export interface RequestGates {
  readonly decide: ConsentGate;
  /** Settings of the virtual server in a members file; undefined for other workloads. */
  readonly virtual?: VirtualSettings;
}

export interface VirtualSettings {
  readonly name: string | undefined;
  readonly group: string | undefined;
  /** Run config fields of the file. */
  readonly fields: Partial<RunConfig>;
}

async function consentOf(
  { entry }: ResolvedTarget,
  { settings, secrets }: Pick<EntryOfRun, 'settings' | 'secrets'>,
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<ConsentRequest | undefined> {
  if (entry === undefined) return undefined;
  const { server, registry } = entry;
  return {
    asker: { author: 'entry', origin: registry, name: server.server },
    ...(server.runs.form === 'remote' ? {} : { server: nameServer(describeForm(server.runs)) }),
    demands: await demandsOfEntry({ server, settings, secrets }, context, signal),
  };
}

/** Checks the login settings of an entry, except those that a flag overrides. */
async function checkLoginOf(
  {
    request,
    resolved,
    settings,
  }: Pick<PreparedRequest, 'settings'> & {
    readonly request: RunRequest;
    readonly resolved: ResolvedTarget;
  },
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<void> {
  const { remote } = settings;
  if (remote === undefined || resolved.entry === undefined) return;
  const auth = remoteAuthOf({ remote_auth_config: remote.entryAuth });
  const resource = request.flags.remoteAuthResource === undefined ? auth.resource : undefined;
  const author = `The entry ${resolved.entry.server.server}`;
  const published = { auth: { ...auth, resource }, remoteUrl: remote.url, author };
  await checkPublishedLogin(published, context, signal);
}

function credentialsIn({ name, remote }: MergedSettings): Parameters<typeof requireCredentials>[0] {
  const kind = remote?.auth.remoteCredentials?.value;
  return { name: name.value, remote_credentials: kind === undefined ? undefined : { type: kind } };
}

/** Checks that the group, the certificates and the secret files exist which flags name. */
async function requireNamed(
  { request: { flags }, settings }: { readonly request: RunRequest; readonly settings: MergedSettings },
  context: WorkloadContext,
): Promise<void> {
  const { group, caCert, remoteAuthClientSecretFile, remoteAuthBearerTokenFile } = flags;
  if (group !== undefined) await nameFlag('group', () => requireGroup(settings.group.value, context));
  if (caCert !== undefined) {
    const { readCertificates } = await import('../../build/read-certificates.ts');
    await nameFlag('caCert', () => readCertificates(pathOf(caCert, context)));
  }
  if (settings.remote === undefined) return;
  const { readTokenFile } = await import('../../login/read-token-file.ts');
  for (const [name, file] of Object.entries({ remoteAuthClientSecretFile, remoteAuthBearerTokenFile })) {
    // The cast is safe: both keys are names of flags.
    if (file !== undefined) await readTokenFile(pathOf(file, context), typedFlag(name as RunFlagName));
  }
}

function placesOf({ flags }: RunRequest, files: readonly PolicyFile[]): ReadonlyMap<string, string> {
  const usedFlags = RUN_FLAG_NAMES.filter((name) => flags[name] !== undefined);
  return new Map([
    ...usedFlags.map((name) => [flagRow(name).field, typedFlag(name)] as const),
    ...files.flatMap(({ flag, fields }) =>
      Object.keys(fields).map((field) => [field, `${typedFlag(flag)} ${String(flags[flag])}`] as const),
    ),
  ]);
}

function bundleOf({ flags: { cliCaBundle } }: RunRequest, context: WorkloadContext): string {
  return cliCaBundle === undefined ? '' : pathOf(cliCaBundle, context);
}
