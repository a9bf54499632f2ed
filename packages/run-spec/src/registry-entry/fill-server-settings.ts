import type { InputValues, SecretToStore } from './entry-templates.ts';
import { badSetting } from '../parse/parse-errors.ts';
import { inlineSecret, inlineTarget } from '../parse/inline-secrets.ts';
import { parsePort } from '../parse/published-port.ts';
import { findTargetPathFault } from '../parse/target-path.ts';
import { secretInClear } from './entry-errors.ts';
import { type Answers, type EntryInput, fillTemplate, type Template } from './entry-input.ts';
import { type FilledRuntime, fillRuntime } from './fill-runtime.ts';
import type { EntryArgument, ServerSettings } from './server-settings.ts';
import {
  NOTHING_GIVEN,
  isOpen,
  isOpenHeader,
  templatesOf,
  isGiven,
  checkChoices,
  split,
} from './entry-templates.ts';

/** Secret that replaces the placeholder `$(target)`. `value` is present until the secret is stored. */
export interface InlineSecret {
  readonly name: string;
  readonly target: string;
  readonly value: string | undefined;
}

export interface FilledSettings {
  /** Secrets whose placeholders are in `args` and `url`. */
  readonly inlineSecrets: readonly InlineSecret[];
  readonly args: readonly string[];
  /** Plain-text variables that the entry adds. */
  readonly variables: Answers;
  readonly secrets: readonly SecretToStore[];
  readonly url: string | undefined;
  readonly headers: Answers;
  readonly secretHeaders: readonly SecretToStore[];
  readonly targetPort: number | undefined;
  readonly targetPath: string | undefined;
  readonly runtime: readonly FilledRuntime[];
}

/**
 * Returns the required inputs that have neither a default nor a given value, each once, in the order of the
 * entry.
 */
export function findMissingInputs(settings: ServerSettings, values: InputValues): readonly EntryInput[] {
  const missing = new Map<string, EntryInput>();
  for (const { named, template } of templatesOf(settings, values)) {
    if (named !== undefined && isGiven(named, values)) continue;
    for (const input of template.inputs) {
      if (!input.isRequired || input.default !== undefined) continue;
      if (!isGiven(input.name, values)) missing.set(input.name, input);
    }
  }
  return [...missing.values()];
}

/** Returns a warning about a `{name}` that neither the entry defines nor the user gave. */
export function warnOfOpenNames(settings: ServerSettings, values: InputValues): string | undefined {
  const open = templatesOf(settings, values)
    .filter(({ named }) => named === undefined || !isGiven(named, values))
    .flatMap(({ place, template }) =>
      template.inputs
        .filter(({ name, isOptionalText }) => isOptionalText === true && !isGiven(name, values))
        .map(({ name }) => `{${name}} in ${place}`),
    );
  if (open.length === 0) return undefined;
  return `${settings.server} does not define ${open.join(', ')}: the text stays as it is. -e NAME=VALUE replaces it.`;
}

/**
 * Fills in the inputs of an entry, and returns secrets separately from plain text. Omits parts with an
 * optional input that has no value, and variables that the user set, unless they are secret.
 *
 * Names secrets `registry-user-NAME` when given and `registry-default-NAME` when from the entry. Secrets in
 * arguments and in the URL become placeholders `$(name)`. Throws ERR_SETTING for a value outside of the
 * choices. Throws ERR_SECRET_REFERENCE for a secret in the host of the URL or in the transport URL.
 */
export function fillServerSettings(settings: ServerSettings, values: InputValues): FilledSettings {
  for (const { template } of templatesOf(settings, values)) checkChoices(template, values);
  const variables = split(settings.variables.filter(isOpen(values)), values);
  const headers = split(settings.headers.filter(isOpenHeader(values)), values);
  const { runs, server } = settings;
  return {
    inlineSecrets: findInlineSecrets(settings, values),
    args: values.hasArguments ? [] : settings.args.flatMap((argument) => fillArgument(argument, values)),
    variables: variables.plain,
    secrets: variables.secret,
    url: runs.form === 'remote' ? fillUrl(runs.url, values, server) : undefined,
    headers: headers.plain,
    secretHeaders: headers.secret,
    targetPort: fillPort(settings, values),
    targetPath: fillPath(settings, values),
    runtime: fillRuntime(settings.runtime.settings, values.values, server),
  };
}

export function secretInputNames(settings: ServerSettings): ReadonlySet<string> {
  const inputs = templatesOf(settings, NOTHING_GIVEN).flatMap(({ template }) => template.inputs);
  return new Set(inputs.filter(({ isSecret }) => isSecret).map(({ name }) => name));
}

function fillArgument({ flag, value }: EntryArgument, values: InputValues): readonly string[] {
  const start = flag === undefined ? [] : [flag];
  if (value === undefined) return start;
  const text = fillWithPlaces(value, values);
  return text === undefined ? [] : [...start, text];
}

/** Returns a secret input in the host of a URL. DNS look-ups and messages would reveal it. */
export function findSecretInHost({ text, inputs }: Template): EntryInput | undefined {
  const [host = text] = /^[^/]*\/\/[^/?#]*/.exec(text) ?? [];
  return inputs.find(({ isSecret, name }) => isSecret && host.includes(`{${name}}`));
}

/** Throws ERR_SECRET_REFERENCE for a secret in the host, and ERR_SETTING for a remaining brace. */
function fillUrl(url: Template, values: InputValues, server: string): string | undefined {
  const secret = findSecretInHost(url);
  if (secret !== undefined) throw secretInClear(secret.name, `the host of the URL of ${server}`);
  const text = fillWithPlaces(url, values);
  if (text === undefined || !/[{}]/.test(text)) return text;
  throw badSetting('URL of the registry entry', text, 'a URL without { and }; -e NAME=VALUE fills {NAME}');
}

/** Fills in the plain inputs, and keeps a placeholder for each secret. */
function fillWithPlaces(template: Template, values: InputValues): string | undefined {
  const places = template.inputs
    .filter(({ isSecret }) => isSecret)
    .filter((input) => isAvailable(input, values))
    .map(({ name }) => [name, inlineSecret(inlineTarget(name))] as const);
  const secret = new Set(template.inputs.filter(({ isSecret }) => isSecret).map(({ name }) => name));
  const plain = [...values.values].filter(([name]) => !secret.has(name));
  return fillTemplate(template, new Map([...plain, ...places]));
}

function isAvailable({ name, default: fallback }: EntryInput, values: InputValues): boolean {
  return values.values.has(name) || values.references?.has(name) === true || fallback !== undefined;
}

function findInlineSecrets(settings: ServerSettings, given: InputValues): readonly InlineSecret[] {
  const { runs, args } = settings;
  const templates = [
    ...(given.hasArguments ? [] : args.flatMap(({ value }) => value ?? [])),
    ...(runs.form === 'remote' ? [runs.url] : []),
  ];
  const secrets = new Map<string, InlineSecret>();
  for (const input of templates.flatMap(({ inputs }) => inputs)) {
    if (!input.isSecret || !isAvailable(input, given)) continue;
    const target = inlineTarget(input.name);
    const stored = given.references?.get(input.name);
    const value = given.values.get(input.name);
    const name = `registry-${value === undefined ? 'default' : 'user'}-input-${target.toLowerCase()}`;
    secrets.set(
      target,
      stored === undefined
        ? { name, target, value: value ?? input.default }
        : { name: stored, target, value: undefined },
    );
  }
  return [...secrets.values()];
}

/** Returns the settings with these inputs marked as secret, because the user gives them as secrets. */
export function markSecrets(settings: ServerSettings, names: ReadonlySet<string>): ServerSettings {
  const mark = ({ text, inputs }: Template): Template => ({
    text,
    inputs: inputs.map((input) => (names.has(input.name) ? { ...input, isSecret: true } : input)),
  });
  const { runs, args, variables, headers, targetPort, targetPath, runtime } = settings;
  return {
    ...settings,
    runs: runs.form === 'remote' ? { ...runs, url: mark(runs.url) } : runs,
    args: args.map(({ flag, value }) => ({ flag, value: value && mark(value) })),
    variables: variables.map(({ name, value }) => ({ name, value: mark(value) })),
    headers: headers.map(({ name, value }) => ({ name, value: mark(value) })),
    targetPort: targetPort && mark(targetPort),
    targetPath: targetPath && mark(targetPath),
    runtime: {
      ...runtime,
      settings: runtime.settings.map((setting) => ({ ...setting, parts: setting.parts.map(mark) })),
    },
  };
}

const TRANSPORT_URL = 'transport URL of the entry';

/** Returns the target port of the entry with its inputs filled in. Throws ERR_SETTING. */
function fillPort({ targetPort, server }: ServerSettings, values: InputValues): number | undefined {
  const text =
    targetPort === undefined ? undefined : fillInClear(targetPort, values, `the port of ${server}`);
  if (text === undefined) return undefined;
  const port = parsePort(text);
  if (port === undefined) throw badSetting(TRANSPORT_URL, text, 'a port from 1 to 65535');
  return port;
}

/** Returns the target path of the entry with its inputs filled in. Throws ERR_SETTING. */
function fillPath({ targetPath, server }: ServerSettings, values: InputValues): string | undefined {
  if (targetPath === undefined) return undefined;
  const text = fillInClear(targetPath, values, `the path of the endpoint of ${server}`);
  if (text === undefined) return undefined;
  const url = URL.parse(`http://localhost${text}`);
  const path = url === null ? text : url.pathname + url.search;
  const fault = findTargetPathFault(path);
  if (fault !== undefined) throw badSetting(TRANSPORT_URL, path, fault);
  return path;
}

function fillInClear(template: Template, values: InputValues, what: string): string | undefined {
  const text = fillTemplate(template, values.values);
  const secret = template.inputs.find(({ isSecret }) => isSecret);
  if (text !== undefined && secret !== undefined) throw secretInClear(secret.name, what);
  return text;
}
