import path from 'node:path';
import {
  type ParsedRunConfig,
  type PathContext,
  type RunConfig,
  addVolumes,
  describeOpenGateway,
  describeOpenNetwork,
  createRunConfig,
  liftSecrets,
  nameOfImage,
  nameOfUrl,
  noteWithoutEffect,
  parseRunConfig,
  inlineReferences,
  remoteAuthOf,
  warnOfShownSecrets,
  requireEnforced,
  withWholePaths,
} from '@portolan/run-spec';
import { checkFileTools } from './check/check-file-tools.ts';
import { readEnvironmentFolder } from './read/read-environment.ts';
import { withOidcClientSecret } from './oidc-client-secret.ts';
import { readAuditConfig, withWholeLogFile } from './read/read-audit-config.ts';
import { requireAuthProvider } from './check/require-auth-provider.ts';
import { requireCredentials } from './check/require-credentials.ts';
import { requireMiddleware } from './check/require-middleware.ts';
import { requireSessionStore } from './check/require-session-store.ts';
import { nameOfFile, readRunConfigFile, STANDARD_INPUT } from './read/run-config-file.ts';
import { withTokenExchangeSecret } from './token-exchange-secret.ts';
import { consentRefused } from '../../consent/consent-errors.ts';
import { demandsOfFile } from '../../consent/demands-of-run.ts';
import { type ConsentGate, type ConsentRequest, describeAsker } from '../../consent/require-consent.ts';
import type { ExportedFile } from '../../consent/trust-file.ts';
import { digestOf, findOwnFile } from '../../consent/trust-records.ts';
import { trustAuthoritiesOf } from '../../build/trust-authorities.ts';
import { checkPublishedLogin } from '../../login/published-login.ts';
import type { WorkloadContext } from '../../workload-context.ts';

export interface PreparedFile {
  readonly file: string;
  /** Run config of the file, which may contain secrets in clear text. */
  readonly config: RunConfig;
  readonly notes: readonly string[];
  /** Consent that the file needs; undefined if the file was exported on this machine. */
  readonly consent: ConsentRequest | undefined;
  /**
   * Consent with which the exported workload was started; undefined when the user configured that workload on
   * the command line.
   */
  readonly inherited?: ConsentRequest | undefined;
}

export interface FileGates {
  readonly decide: ConsentGate;
  /** Text of a stored workload's run config, which is used instead of a file. */
  readonly own?: string | undefined;
  /** Text of the file, if the caller has read it. */
  readonly text?: string | undefined;
}

/**
 * Reads and checks the file of `--from-config`. Throws ERR_RUN_CONFIG_PROTECTION, ERR_TOOL_UNKNOWN, the
 * errors of reading the file, and like `requireMiddleware` and `requireSessionStore`.
 */
export async function prepareFile(
  named: string,
  context: WorkloadContext,
  { decide, own, text: knownText }: FileGates,
  signal: AbortSignal,
): Promise<PreparedFile> {
  const isInput = named === STANDARD_INPUT;
  const isOwn = own !== undefined;
  const given = own ?? knownText;
  const file = isInput || given !== undefined ? named : path.resolve(context.workingDirectory, named);
  // Relative paths refer to the working directory of this command, because the supervisor has a different
  // working directory.
  const paths = { workingDirectory: context.workingDirectory, home: context.home };
  const read =
    given === undefined
      ? isInput
        ? await readInput(context, paths, signal)
        : await readRunConfigFile(file, paths, signal)
      : { ...parseRunConfig(given, named, paths), text: given };
  const { notes } = read;
  const beside = isInput || isOwn ? context.workingDirectory : path.dirname(file);
  const exported = isOwn ? undefined : await findOwnFile(read.text, context);
  const consent =
    isOwn || exported !== undefined ? undefined : await consentOf(read, { file, beside }, context, signal);
  if (consent !== undefined && !(await decide(consent))) return unchecked(read, file, consent, context);
  const config = await withAudit(
    {
      ...read.config,
      ...withOidcClientSecret(read.config, context),
      ...withTokenExchangeSecret(read.config, context),
    },
    beside,
    signal,
  );
  if (consent !== undefined) await refuseAuditFile(config, consent, context, signal);
  requireEnforced(config);
  if (config.remote_url !== '') {
    const author = `The file ${nameOfFile(file)}`;
    const published = { auth: remoteAuthOf(config), remoteUrl: config.remote_url, author };
    await checkPublishedLogin(published, context, signal);
  }
  await trustAuthoritiesOf(config, context);
  // Replace secrets by references before any check runs.
  const lifted = liftSecrets(config).config;
  const messages = [
    ...(await requireMiddleware(lifted, context)),
    ...(await requireCredentials(config, context)),
    ...(await checkFileTools(config, context, signal)),
  ];
  await requireSessionStore(config, context);
  await requireAuthProvider(config, context);
  const name = config.name === '' ? nameFor(config, context) : config.name;
  const folder = await readVariables(config, beside, signal);
  const mounted = mountVolumes(config, context);
  const open = noteOpenNetwork(config, mounted.profile);
  return {
    file: nameOfFile(file),
    config: {
      ...config,
      permission_profile: mounted.profile,
      name,
      ...(isOwn ? {} : { applied_by: '' }),
      env_file_dir: '',
      env_vars: { ...folder.variables, ...config.env_vars },
    },
    notes: [
      ...notes,
      ...messages,
      ...noteWithoutEffect(config),
      ...folder.warnings,
      ...mounted.warnings,
      ...open,
      ...(config.remote_url === '' ? warnOfShownSecrets(inlineReferences(config)) : []),
    ],
    consent,
    inherited: exported?.consent && inheritedOf(exported.consent),
  };
}

/**
 * Returns the consent of an exported file as a request, so that the user can also revoke it for the new
 * workload.
 */
function inheritedOf({
  author,
  origin,
  name,
  server,
  grants,
}: NonNullable<ExportedFile['consent']>): ConsentRequest {
  return { asker: { author, origin, name }, server, demands: { grants, refusals: [] } };
}

type ReadFile = ParsedRunConfig & { readonly text: string };

async function readInput(
  context: WorkloadContext,
  paths: PathContext,
  signal: AbortSignal,
): Promise<ReadFile> {
  const text = (await context.readInput?.(signal)) ?? '';
  return { ...parseRunConfig(text, nameOfFile(STANDARD_INPUT), paths), text };
}

/** Returns the consent that a file needs, with paths resolved as the run would use them. */
async function consentOf(
  { config, text }: ReadFile,
  { file, beside }: { readonly file: string; readonly beside: string },
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<ConsentRequest> {
  const whole = (named: string): string => (named === '' ? '' : path.resolve(beside, named));
  const { audit_config: audit } = config;
  const used: RunConfig = {
    ...config,
    permission_profile: mountVolumes(config, context).profile,
    audit_config: audit === undefined ? undefined : withWholeLogFile(audit, beside),
    audit_config_path: audit === undefined ? whole(config.audit_config_path) : '',
    env_file_dir: whole(config.env_file_dir),
  };
  return {
    asker: { author: 'file', origin: digestOf(text), name: nameOfFile(file) },
    demands: await demandsOfFile(used, config.name || nameFor(config, context), context, signal),
  };
}

/**
 * Checks the audit settings for forbidden values, because they may come from a second file that the run
 * config names.
 */
async function refuseAuditFile(
  config: RunConfig,
  { asker }: ConsentRequest,
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<void> {
  const part = createRunConfig({ audit_config: config.audit_config });
  const { refusals } = await demandsOfFile(part, config.name || nameFor(config, context), context, signal);
  if (refusals.length > 0) throw consentRefused(describeAsker(asker), refusals);
}

/** Prepares a file that lacks consent, without reading anything that the file names. */
function unchecked(
  { config, notes }: ReadFile,
  file: string,
  consent: ConsentRequest,
  context: WorkloadContext,
): PreparedFile {
  const name = config.name || nameFor(config, context);
  const mounted = mountVolumes(config, context);
  const open = noteOpenNetwork(config, mounted.profile);
  return {
    file: nameOfFile(file),
    config: { ...config, permission_profile: mounted.profile, name },
    notes: [...notes, ...noteWithoutEffect(config), ...mounted.warnings, ...open],
    consent,
  };
}

function noteOpenNetwork(config: RunConfig, profile: RunConfig['permission_profile']): readonly string[] {
  if (config.remote_url !== '') return [];
  const { isolate_network: isIsolated, allow_docker_gateway: isAllowed } = config;
  const notes = [
    describeOpenNetwork(profile, isIsolated),
    describeOpenGateway(profile, { isIsolated, isAllowed }),
  ];
  return notes.filter((note) => note !== undefined);
}

/** Returns the profile with absolute host paths and the mounts of `volumes`. */
function mountVolumes(
  { permission_profile: profile, volumes, remote_url: url }: RunConfig,
  context: WorkloadContext,
): { readonly profile: RunConfig['permission_profile']; readonly warnings: readonly string[] } {
  if (volumes.length > 0 && url === '')
    return addVolumes(profile ?? {}, volumes, context, 'permission_profile');
  const whole = profile && withWholePaths(profile, 'permission_profile', context);
  return { profile: whole, warnings: [] };
}

/**
 * Reads the audit settings. A run config of ToolHive may contain only the path of a file with these settings.
 */
async function withAudit(config: RunConfig, beside: string, signal: AbortSignal): Promise<RunConfig> {
  const { audit_config: audit, audit_config_path: named } = config;
  if (audit !== undefined) return { ...config, audit_config: withWholeLogFile(audit, beside) };
  if (named === '') return config;
  return { ...config, ...(await readAuditConfig(path.resolve(beside, named), signal)) };
}

async function readVariables(
  { env_file_dir: named }: RunConfig,
  beside: string,
  signal: AbortSignal,
): Promise<{ readonly variables: Readonly<Record<string, string>>; readonly warnings: readonly string[] }> {
  if (named === '') return { variables: {}, warnings: [] };
  const { variables, warnings } = await readEnvironmentFolder(path.resolve(beside, named), signal);
  return { variables: Object.fromEntries(variables), warnings };
}

function nameFor(config: RunConfig, { clock }: Pick<WorkloadContext, 'clock'>): string {
  if (config.remote_url !== '') return nameOfUrl(new URL(config.remote_url));
  return nameOfImage(config.image === '' ? config.run_target : config.image, clock);
}
