import { modernizeServerDocument, undefinedNames } from '@portolan/entry-format';
import type { JsonObject } from '@portolan/plugin-api';
import { type JsonMembers, memberOf, objectsIn, textMember, textsIn } from '../document/json-members.ts';
import { PUBLIC_INDEXES } from './public-indexes.ts';
import { entryNotRunnable } from './entry-errors.ts';
import { findImageReference } from '@portolan/outbound';
import { hasControlCharacters } from '../parse/text-faults.ts';
import { isPackageFolder } from '../target/package-folder.ts';
import type { Template } from './entry-input.ts';
import { findExtension } from './find-extension.ts';
import { toolNamesOf } from './tool-names.ts';
import { choosePackageProgram } from './package-program.ts';
import {
  noteExtension,
  noteOthers,
  notePackage,
  noteTransport,
  noteUnusedIn,
  noteUnusedVariables,
  speaksHttp,
} from './note-left-out.ts';
import { readEndpoint } from './read-endpoint.ts';
import { variablesIn, variablesInUrl } from './read-input.ts';
import { readPackageInputs } from './read-package-inputs.ts';
import { optionTakesValue } from './runner-options.ts';
import { joinRuntimeArguments } from './runtime-words.ts';
import type { ServerForm, ServerSettings } from './server-settings.ts';
import {
  namedValue,
  extensionVariables,
  noteListening,
  readPermissions,
  transportName,
  truthMember,
  objectMember,
} from './extension-settings.ts';

/** Package types that Portolan runs, with the scheme of each. */
const SCHEMES: Readonly<Record<string, string>> = { npm: 'npx', pypi: 'uvx' };

/**
 * Parses a registry entry and chooses what runs: the first remote, otherwise the only image, otherwise the
 * first npm or PyPI package. Supports every version of the registry's schema. Throws ERR_PERMISSION_PROFILE.
 * Throws ERR_ENTRY_NOT_RUNNABLE, also for a control character in a name.
 */
export function readServerSettings(published: JsonObject): ServerSettings {
  const document = modernizeServerDocument(published);
  const server = textMember(document, 'name') ?? 'The registry entry';
  const [remote] = objectsIn(document, 'remotes');
  const found = remote === undefined ? readPackage(document, server) : readRemote(document, remote, server);
  const extension = findExtension(document, found.keys);
  const extensionArgs = textsIn(extension, 'args').map((text) => ({
    flag: undefined,
    value: { text, inputs: variablesIn(text, undefined) },
  }));
  const transport = transportName(memberOf(found.transport, 'type') ?? memberOf(extension, 'transport'));
  const endpoint = readEndpoint(found, transport);
  const settings: ServerSettings = {
    server,
    version: textMember(document, 'version'),
    title: textMember(document, 'title'),
    runs: found.runs,
    transport,
    targetPort: endpoint.targetPort,
    targetPath: endpoint.targetPath,
    args: found.args.length > 0 ? found.args : extensionArgs,
    variables: [...found.variables, ...extensionVariables(extension, found.variables)],
    headers: found.headers,
    permissions: readPermissions(extension, server),
    stateless: truthMember(extension, 'stateless'),
    tools: toolNamesOf(document, extension),
    provenance: objectMember(extension, 'provenance'),
    oauthConfig: objectMember(extension, 'oauth_config'),
    repository: textMember(memberOf(document, 'repository'), 'url'),
    runtime: found.runtime,
    notes: [
      ...found.notes,
      ...endpoint.notes,
      ...noteListening(extension),
      ...noteExtension(extension, {
        hasArguments: found.args.length > 0,
        variables: found.variables.map(({ name }) => name),
        transport: found.transport,
      }),
    ],
  };
  refuseControlCharacters(settings);
  return { ...settings, notes: [...settings.notes, ...noteDefaults(settings)] };
}

/**
 * Returns sentences about `{name}` in defaults, which reaches the server unchanged. Only a fixed `value` is a
 * template.
 */
function noteDefaults({ variables, headers, args, runtime }: ServerSettings): readonly string[] {
  const inputs = [
    ...[...variables, ...headers, ...args].flatMap(({ value }) => value?.inputs ?? []),
    ...runtime.settings.flatMap(({ parts }) => parts.flatMap((part) => part.inputs)),
  ];
  return inputs.flatMap(({ name, default: text = '' }) =>
    undefinedNames(text, undefined).map(
      (open) =>
        `The default of ${name} contains {${open}}, which stays as it is. -e ${name}=VALUE replaces it.`,
    ),
  );
}

/**
 * Throws for control characters in names: a line break could imitate lines that Portolan prints, such as rows
 * of `plan`.
 */
function refuseControlCharacters(settings: ServerSettings): void {
  const { server, runs, args, variables, headers, runtime, targetPort, targetPath } = settings;
  const values = [...[...args, ...variables, ...headers].map(({ value }) => value), targetPort, targetPath];
  const inputs = [
    ...(runs.form === 'remote' ? [runs.url] : []),
    ...runtime.settings.flatMap(({ parts }) => parts),
    ...values,
  ].flatMap((value) => value?.inputs.flatMap(({ name, alias = '' }) => [name, alias]) ?? []);
  const names = [
    ...variables.map(({ name }) => ['variable', name] as const),
    ...headers.map(({ name }) => ['header', name] as const),
    ...args.map(({ flag = '' }) => ['argument', flag] as const),
    ...inputs.map((name) => ['input', name] as const),
  ];
  for (const [what, name] of names) {
    if (!hasControlCharacters(name)) continue;
    throw entryNotRunnable(
      server,
      `the name of its ${what} ${JSON.stringify(name)} holds a control character`,
    );
  }
}

const INPUT_LISTS = ['environmentVariables', 'packageArguments', 'runtimeArguments'];

const NO_RUNTIME = { settings: [], blockers: [] };

interface ServerReading
  extends Pick<ServerSettings, 'args' | 'variables' | 'headers' | 'notes' | 'runs' | 'runtime'> {
  readonly transport: unknown;
  /** Values by the names that a package's transport URL may use. */
  readonly values: ReadonlyMap<string, Template>;
  /** Keys of the extension object, most specific first. */
  readonly keys: readonly string[];
}

function readRemote(document: JsonObject, remote: JsonMembers, server: string): ServerReading {
  const text = textMember(remote, 'url');
  if (text === undefined) throw entryNotRunnable(server, 'its remote has no URL');
  const url: Template = { text, inputs: variablesInUrl(text, memberOf(remote, 'variables')) };
  const headers = objectsIn(remote, 'headers').flatMap((header) => namedValue(header));
  const runs: ServerForm = { form: 'remote', url };
  return {
    runs,
    transport: remote,
    values: new Map(),
    keys: [text],
    args: [],
    variables: [],
    headers,
    runtime: NO_RUNTIME,
    notes: [
      ...noteOthers(document, remote),
      ...noteUnusedVariables(remote, [text], 'the URL of the remote'),
      ...noteUnusedIn(remote, 'headers'),
    ],
  };
}

function readPackage(document: JsonObject, server: string): ServerReading {
  const packages = objectsIn(document, 'packages');
  const chosen = choosePackage(packages, server);
  const form = formOf(chosen, server);
  const identifier = textMember(chosen, 'identifier') ?? '';
  const runtime = form.form === 'image' ? 'docker' : form.scheme;
  const items = {
    runtime: joinRuntimeArguments(objectsIn(chosen, 'runtimeArguments'), (option) =>
      optionTakesValue(runtime, option),
    ),
    package: objectsIn(chosen, 'packageArguments'),
  };
  const named = { identifier, version: textMember(chosen, 'version') };
  const program = choosePackageProgram(named, runtime, items);
  const runs = form.form === 'image' ? form : { ...form, package: program.package };
  const inputs = readPackageInputs(chosen, runtime, program);
  const transport = memberOf(chosen, 'transport');
  const others = packages
    .filter((item) => item !== chosen)
    .map((item) => `The package ${textMember(item, 'identifier') ?? 'without identifier'} is not used.`);
  return {
    runs,
    transport,
    values: inputs.values,
    keys: runs.form === 'image' ? [identifier, runs.image] : [identifier],
    args: inputs.args,
    variables: inputs.variables,
    runtime: inputs.runtime,
    headers: speaksHttp(transport)
      ? objectsIn(transport, 'headers').flatMap((header) => namedValue(header))
      : [],
    notes: [
      ...others,
      ...noteIndex(chosen, runs),
      ...notePackage(chosen),
      ...noteTransport(transport, server),
      ...noteUnusedIn(transport, 'headers'),
      ...INPUT_LISTS.flatMap((list) => noteUnusedIn(chosen, list)),
      ...inputs.notes,
    ],
  };
}

function choosePackage(packages: readonly JsonMembers[], server: string): JsonMembers {
  const images = packages.filter((item) => memberOf(item, 'registryType') === 'oci');
  if (images.length > 1) {
    const names = images.map((item) => textMember(item, 'identifier') ?? 'one without a name');
    throw entryNotRunnable(
      server,
      `it has ${images.length} images, and which is meant is not said: ${names.join(', ')}`,
    );
  }
  const chosen =
    images[0] ?? packages.find((item) => Object.hasOwn(SCHEMES, textMember(item, 'registryType') ?? ''));
  if (chosen !== undefined) return chosen;
  const types = [...new Set(packages.map((item) => textMember(item, 'registryType') ?? 'unknown'))];
  throw entryNotRunnable(
    server,
    packages.length === 0
      ? 'it has neither packages nor remotes'
      : `its packages are of types that are not run here: ${types.join(', ')}`,
  );
}

function formOf(item: JsonMembers, server: string): Exclude<ServerForm, { form: 'remote' }> {
  const identifier = textMember(item, 'identifier') ?? '';
  const type = textMember(item, 'registryType') ?? '';
  if (type === 'oci') {
    const image = imageOf(item, identifier);
    if (image === undefined) {
      throw entryNotRunnable(server, 'the identifier of its package is no image reference');
    }
    return { form: 'image', image };
  }
  if (isPackageFolder(identifier))
    throw entryNotRunnable(server, `its package ${JSON.stringify(identifier)} is a folder of this machine`);
  return { form: 'package', scheme: SCHEMES[type] ?? type, package: identifier };
}

/** Returns the reference of an image. In older schemas, its host and tag are separate fields. */
function imageOf(item: JsonMembers, identifier: string): string | undefined {
  const reference = findImageReference(identifier);
  if (reference === undefined) return undefined;
  const host = URL.parse(textMember(item, 'registryBaseUrl') ?? '')?.host ?? '';
  const version = textMember(item, 'version');
  const start = reference.registry === undefined && host !== '' ? `${host}/` : '';
  const isPinned = reference.tag !== undefined || reference.digest !== undefined;
  const image = `${start}${identifier}${isPinned || version === undefined ? '' : `:${version}`}`;
  return findImageReference(image) === undefined ? undefined : image;
}

/**
 * Returns a sentence about an ignored package index. The user's index may have another package of the same
 * name.
 */
function noteIndex(item: JsonMembers, runs: ServerForm): readonly string[] {
  const index = textMember(item, 'registryBaseUrl')?.replace(/\/$/, '');
  const isPublic = Object.values(PUBLIC_INDEXES).some((one) => one === index);
  if (runs.form !== 'package' || index === undefined || isPublic) return [];
  return [`The package registry ${index} of the entry does not count; that of your own settings is asked.`];
}
