import { checkFlags } from './check-flags.ts';
import { checkToolNames } from './check-tool-names.ts';
import { badSetting } from '../parse/parse-errors.ts';
import { settingsBesideFile } from './settings-errors.ts';
import { asksForTokens } from '../run-config/oidc-config.ts';
import type { RunConfig } from '../run-config/run-config.ts';
import { warnOfShownSecrets } from '../run-config/shown-secrets.ts';
import { parseLabel } from '../parse/key-value.ts';
import { parseSecretReference, type SecretReference } from '../parse/secret-reference.ts';
import { mergePlainWithFile, nameOfVirtual, refuseOtherForm } from './merge-members.ts';
import { flagRow, RUN_FLAG_NAMES, type RunFlagName, typedFlag } from './run-flags.ts';
import type { RunRequest } from './run-request.ts';
import { unreachable } from '../parse/unreachable.ts';
import {
  nameOfEntry,
  nameOfImage,
  nameOfPackage,
  nameOfUrl,
  parseWorkloadName,
} from '../target/workload-name.ts';
import { secretInputNames } from '../registry-entry/fill-server-settings.ts';
import { type SecretToStore } from '../registry-entry/entry-templates.ts';
import { mergeContainer } from './merge-container.ts';
import { addEntryVariables } from './merge-environment.ts';
import { mergeClientSecret, mergeOidc } from './merge-oidc.ts';
import { writePlain } from './plain-settings.ts';
import { isHeaderInput, mergeRemote, refuseRemoteFlags } from './merge-remote.ts';
import { refuseIdleFlags } from './refuse-idle-flags.ts';
import { warnWithoutEffect } from './without-effect.ts';
import {
  checkTokenExchangeFlags,
  mergeTokenExchangeSecret,
  NOTHING_TO_EXCHANGE,
  warnOfLeftCredentials,
} from './merge-token-exchange.ts';
import { mergeTelemetry } from './merge-telemetry.ts';
import { mergeTransport, VIRTUAL_TRANSPORT } from './merge-transport.ts';
import type { MergedSettings } from './merged-settings.ts';
import { settingsConflict } from './settings-errors.ts';
import type { MergeInput } from './merge-input.ts';
import { flagSetting, pickSetting, type Setting } from './setting.ts';

/**
 * Rejects other flags and arguments next to `--from-config`, because an exported file is complete. Throws
 * ERR_SETTINGS_CONFLICT.
 */
export function checkBesideFile({ fromConfig, flags, args }: RunRequest): void {
  if (fromConfig === undefined) return;
  const usedFlags = RUN_FLAG_NAMES.filter((name) => flags[name] !== undefined);
  const names = [...usedFlags.map(typedFlag), ...(args.length > 0 ? ['--'] : [])];
  if (names.length > 0) throw settingsBesideFile(names);
}

/**
 * Merges settings in the order flags, registry entry, user's settings, defaults. Pure. Throws the first coded
 * error.
 */
export function mergeSettings(mergeInput: MergeInput): MergedSettings {
  const warnings: string[] = [];
  const request = {
    ...mergeInput.request,
    flags: checkFlags(mergeInput.request.flags, mergeInput.context, warnings),
  };
  const input = { ...mergeInput, request };
  const { flags } = request;
  const isVirtual = refuseOtherForm(input);
  const url = remoteUrl(input);
  const name = mergeName(mergeInput, url, warnings);
  const runsHere = url === undefined && !isVirtual;
  const container = runsHere ? mergeContainer(input, warnings) : undefined;
  if (url === undefined) refuseRemoteFlags(input);
  else refuseIdleFlags(flags);
  if (flags.proxyMode?.toLowerCase() === 'sse') {
    warnings.push('--proxy-mode sse is deprecated and will be removed; streamable-http is the default.');
  }
  const plain = mergePlainWithFile(input);
  if (plain.frozen.value && flags.drift !== undefined && flags.drift !== 'refuse')
    throw settingsConflict('--frozen', `--drift ${flags.drift}`, 'it refuses every change');
  const policyFields = mergePolicies(input, warnings);
  checkTools(input, plain.tools.value, policyFields);
  const transport = isVirtual ? VIRTUAL_TRANSPORT : mergeTransport(input, url);
  checkTokenExchangeFlags(input, transport.carries);
  const clientSecret = mergeClientSecret(input);
  const oidc = mergeOidc(input, writePlain(plain), clientSecret);
  if (flags.tokenExchangeUrl !== undefined && !asksForTokens(oidc)) warnings.push(NOTHING_TO_EXCHANGE);
  warnings.push(
    ...warnOfLeftCredentials(input),
    ...(url === undefined ? warnOfShownSecrets(mergeInlineSecrets(input.entry).references) : []),
    ...warnWithoutEffect({
      flags,
      args: request.args,
      runs: url === undefined ? 'container' : 'remote',
      hasEntry: input.entry !== undefined,
      carries: transport.carries,
      proxyMode: transport.proxyMode?.value,
      isIsolated: container?.isolateNetwork.value,
      isStateless: plain.stateless.value,
      asksForTokens: asksForTokens(oidc),
    }),
  );
  return {
    ...plain,
    name,
    labels: mergeLabels(flags.labels),
    args: mergeArgs(input),
    ...(runsHere ? mergeVariables(input) : ofRemote(input)),
    container,
    remote: url === undefined ? undefined : mergeRemote(input, url),
    ...mergeProxy(input, url),
    ...transport,
    tokenExchangeSecret: mergeTokenExchangeSecret(input),
    policyFields,
    clientSecret,
    oidc,
    warnings,
  };
}

function mergePolicies(input: MergeInput, warnings: string[]): MergedSettings['policyFields'] {
  const telemetry = mergeTelemetry(input, warnings);
  return new Map([
    ...mergePolicyFiles(input),
    ...(telemetry === undefined ? [] : ([['telemetry_config', telemetry]] as const)),
  ]);
}

/**
 * Merges policy files; later files take precedence. A members file may state what a flag also states, which
 * then takes precedence.
 */
function mergePolicyFiles({ policyFiles = [], request }: MergeInput): MergedSettings['policyFields'] {
  const isByFlag = (field: string, from: RunFlagName): boolean =>
    from === 'members' &&
    RUN_FLAG_NAMES.some(
      (name) =>
        name !== 'members' &&
        request.flags[name] !== undefined &&
        flagRow(name).field.split('.')[0] === field,
    );
  return new Map(
    policyFiles.flatMap(({ flag, fields }) =>
      (Object.entries(fields) as [keyof RunConfig, unknown][])
        .filter(([field]) => !isByFlag(field, flag))
        .map(([field, value]) => [field, { value, from: 'flag', by: typedFlag(flag) }] as const),
    ),
  );
}

function checkTools(
  { entry }: MergeInput,
  filter: readonly string[],
  policyFields: MergedSettings['policyFields'],
): void {
  if (entry?.server.tools === undefined) return;
  const override = (policyFields.get('tools_override')?.value ?? {}) as RunConfig['tools_override'];
  checkToolNames({ filter, override }, entry.server.server, entry.server.tools);
}

type Variables = Pick<MergedSettings, 'environment' | 'secrets' | 'inlineSecrets' | 'secretsToStore'>;

/** Merges variables and secrets. A secret of the user replaces the entry's. */
function mergeVariables({ request, entry, environment, storedSecrets = [] }: MergeInput): Variables {
  const inline = mergeInlineSecrets(entry);
  const isInline = ({ target }: SecretReference): boolean =>
    inline.targets.has(target) && entry?.server.variables.every(({ name }) => name !== target) === true;
  const secretReferences = (request.flags.secrets ?? [])
    .map((text) => parseSecretReference(text, '--secret'))
    .filter((reference) => !isInline(reference) && !isHeaderInput(entry, reference.target));
  const fromEntry = entry?.filled.secrets ?? [];
  const isFree = ({ target }: SecretReference): boolean =>
    !secretReferences.some((secret) => secret.target === target);
  const ofEntry = fromEntry.filter(isFree);
  const added = [...storedSecrets.filter(isFree), ...ofEntry.map(({ name, target }) => ({ name, target }))];
  const isSecret = new Set([
    ...[...fromEntry, ...storedSecrets].map(({ target }) => target),
    ...(entry === undefined ? [] : secretInputNames(entry.server)),
  ]);
  const variables = [...addEntryVariables(environment, entry?.filled.variables ?? new Map())];
  return {
    environment: new Map(variables.filter(([key]) => !isSecret.has(key) && !isHeaderInput(entry, key))),
    secrets: {
      value: [...secretReferences, ...added],
      from: secretReferences.length > 0 ? 'flag' : added.length > 0 ? 'registry' : 'default',
      by: secretReferences.length > 0 ? '--secret' : added.length > 0 ? 'the entry' : 'built in',
    },
    inlineSecrets: inline.references,
    secretsToStore: [...ofEntry, ...(entry?.filled.secretHeaders ?? []), ...inline.toStore],
  };
}

/** Returns references to the secrets in arguments and the URL, and the secrets that must be stored first. */
function mergeInlineSecrets(entry: MergeInput['entry']): {
  readonly references: readonly SecretReference[];
  readonly toStore: readonly SecretToStore[];
  readonly targets: ReadonlySet<string>;
} {
  const secrets = entry?.filled.inlineSecrets ?? [];
  return {
    references: secrets.map(({ name, target }) => ({ name, target })),
    toStore: secrets.flatMap(({ name, target, value }) =>
      value === undefined ? [] : [{ name, target, value }],
    ),
    targets: new Set(secrets.map(({ target }) => target)),
  };
}

/** Returns the variables of a remote server, which only fill inputs of its entry and are not stored. */
function ofRemote({ entry }: MergeInput): Variables {
  const inline = mergeInlineSecrets(entry);
  return {
    environment: new Map(),
    secrets: { value: [], from: 'default', by: 'built in' },
    inlineSecrets: inline.references,
    secretsToStore: [...(entry?.filled.secretHeaders ?? []), ...inline.toStore],
  };
}

function remoteUrl({ target, entry }: MergeInput): URL | undefined {
  if (target.from === 'url') return target.url;
  const text = entry?.filled.url;
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw badSetting('URL of the registry entry', text, 'an http or https URL');
  }
  return url;
}

function mergeName(input: MergeInput, url: URL | undefined, warnings: string[]): Setting<string> {
  const { request, target, clock } = input;
  if (request.flags.name !== undefined) {
    const { name, warning } = parseWorkloadName(request.flags.name, '--name');
    if (warning !== undefined) warnings.push(warning);
    return { value: name, from: 'flag', by: '--name' };
  }
  switch (target.from) {
    case 'registry':
      return { value: nameOfEntry(target.server), from: 'rule', by: 'the name of the registry entry' };
    case 'scheme':
      return { value: nameOfPackage(target.package), from: 'rule', by: 'the name of the package' };
    case 'image':
      return { value: nameOfImage(target.reference, clock), from: 'rule', by: 'the name of the image' };
    case 'members':
      return nameOfVirtual(target, input);
    case 'url':
      return { value: nameOfUrl(url ?? target.url), from: 'rule', by: 'the host of the URL' };
    default:
      return unreachable(target);
  }
}

function mergeLabels(labels: readonly string[] | undefined): Setting<Readonly<Record<string, string>>> {
  const pairs = labels?.map((text) => parseLabel(text, '--label')).map(({ key, value }) => [key, value]);
  return flagSetting('--label', pairs === undefined ? undefined : Object.fromEntries(pairs), {});
}

function mergeArgs({ request, entry }: MergeInput): Setting<readonly string[]> {
  const ofEntry = entry?.filled.args ?? [];
  return pickSetting(
    [
      { value: request.args.length > 0 ? request.args : undefined, from: 'flag', by: '--' },
      { value: ofEntry.length > 0 ? ofEntry : undefined, from: 'registry', by: 'the entry' },
    ],
    [],
  );
}

type ProxySettings = Pick<MergedSettings, 'targetHost'>;

function mergeProxy({ request }: MergeInput, url: URL | undefined): ProxySettings {
  const { flags } = request;
  return {
    targetHost: pickSetting(
      [
        { value: url?.hostname.replace(/^\[|\]$/g, ''), from: 'rule', by: 'the host of the URL' },
        { value: flags.targetHost, from: 'flag', by: '--target-host' },
      ],
      '127.0.0.1',
    ),
  };
}
