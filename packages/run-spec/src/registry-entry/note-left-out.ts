import { findImageReference } from '@portolan/outbound';
import type { JsonObject } from '@portolan/plugin-api';
import {
  isJsonObject,
  type JsonMembers,
  memberOf,
  objectsIn,
  textMember,
  textsIn,
} from '../document/json-members.ts';
import { isTransportName } from '../run-config/transports.ts';
import { entryNotRunnable } from './entry-errors.ts';

/**
 * Package runners and container engines by package type. An entry may name them, but Portolan does their work
 * itself.
 */
const RUNNERS: Readonly<Record<string, readonly string[]>> = {
  oci: ['docker', 'podman'],
  npm: ['npx', 'npm', 'node'],
  pypi: ['uvx', 'uv', 'python', 'pip'],
};

/** Returns a sentence for each package and remote that does not run. Only the first remote runs. */
export function noteOthers(document: JsonObject, remote: JsonMembers): readonly string[] {
  const remotes = objectsIn(document, 'remotes').filter((one) => one !== remote);
  const names = [
    ...remotes.map((one) => textMember(one, 'url') ?? 'a remote without URL'),
    ...objectsIn(document, 'packages').map(
      (item) => textMember(item, 'identifier') ?? 'a package without identifier',
    ),
  ];
  return names.length === 0 ? [] : [`Not used, because Portolan runs the first remote: ${names.join(', ')}.`];
}

export function notePackage(item: JsonMembers): readonly string[] {
  const type = textMember(item, 'registryType') ?? '';
  const hint = textMember(item, 'runtimeHint');
  const [runner = ''] = RUNNERS[type] ?? [];
  const isOther = hint !== undefined && RUNNERS[type]?.includes(hint) !== true;
  return [
    ...noteVersion(item, type),
    ...(memberOf(item, 'fileSha256') === undefined
      ? []
      : ['The fileSha256 of the package does not count: Portolan does not compare it with the package.']),
    ...(isOther ? [`The runtimeHint ${hint} does not count: Portolan does what ${runner} does.`] : []),
    ...noteArguments([...objectsIn(item, 'packageArguments'), ...objectsIn(item, 'runtimeArguments')]),
  ];
}

/** Returns a sentence about an ignored version. The version of an image is its tag or digest. */
function noteVersion(item: JsonMembers, type: string): readonly string[] {
  const version = textMember(item, 'version');
  const image = type === 'oci' ? findImageReference(textMember(item, 'identifier') ?? '') : undefined;
  if (
    version === undefined ||
    image === undefined ||
    image.tag?.replace(/^v/, '') === version.replace(/^v/, '')
  )
    return [];
  if (image.tag === undefined && image.digest === undefined) return [];
  return [`The version ${version} of the package does not count: its identifier has a tag or a digest.`];
}

function noteArguments(items: readonly JsonMembers[]): readonly string[] {
  return items.flatMap((item) => {
    const name = textMember(item, 'name') ?? textMember(item, 'valueHint') ?? textMember(item, 'value') ?? '';
    if (memberOf(item, 'type') === 'named' && textMember(item, 'name') === undefined)
      return ['An argument of the package without a name is left out.'];
    if (memberOf(item, 'isRepeated') !== true) return [];
    return [
      `The argument ${name} is given once, though it may be repeated: give all arguments behind -- instead.`,
    ];
  });
}

/** Returns whether a transport uses HTTP. Requests over standard input and output have no headers. */
export function speaksHttp(transport: unknown): boolean {
  return textMember(transport, 'type') !== 'stdio';
}

/**
 * Returns sentences about headers that are ignored without HTTP. Throws ERR_ENTRY_NOT_RUNNABLE for a required
 * one.
 */
export function noteTransport(transport: unknown, server: string): readonly string[] {
  const headers = speaksHttp(transport) ? [] : objectsIn(transport, 'headers');
  const required = headers.find((header) => memberOf(header, 'isRequired') === true);
  if (required !== undefined) {
    const name = textMember(required, 'name') ?? 'without a name';
    throw entryNotRunnable(
      server,
      `its package requires the header ${name}, and its transport has no headers`,
    );
  }
  const names = headers.map((header) => textMember(header, 'name') ?? 'without a name');
  const type = textMember(transport, 'type');
  return [
    ...(names.length === 0
      ? []
      : [`The headers ${names.join(', ')} of the package do not count: its transport has no headers.`]),
    ...(type === undefined || isTransportName(type)
      ? []
      : [`The transport ${type} does not count: it is none.`]),
  ];
}

/** Returns a sentence about variables that no text uses as `{name}`. */
export function noteUnusedVariables(
  holder: JsonMembers,
  texts: readonly string[],
  name: string,
): readonly string[] {
  const variables = memberOf(holder, 'variables');
  const unused = Object.keys(isJsonObject(variables) ? variables : {}).filter(
    (one) => !texts.some((text) => text.includes(`{${one}}`)),
  );
  if (unused.length === 0) return [];
  return [
    `Nothing in ${name} uses its ${unused.length === 1 ? 'variable' : 'variables'} ${unused.join(', ')}.`,
  ];
}

export function noteUnusedIn(holder: unknown, list: string): readonly string[] {
  return objectsIn(holder, list).flatMap((input) => {
    const texts = [textMember(input, 'value') ?? '', textMember(input, 'name') ?? ''];
    const name = textMember(input, 'name') ?? textMember(input, 'valueHint') ?? 'an argument';
    return noteUnusedVariables(input, texts, name);
  });
}

/** Returns sentences about parts of the publisher's object that the fields of the package replace. */
export function noteExtension(
  extension: JsonObject | undefined,
  {
    hasArguments,
    variables,
    transport,
  }: {
    readonly hasArguments: boolean;
    readonly variables: readonly string[];
    readonly transport: unknown;
  },
): readonly string[] {
  const replaced = objectsIn(extension, 'env_vars')
    .flatMap((variable) => textMember(variable, 'name') ?? [])
    .filter((name) => variables.includes(name));
  const [own, other] = [textMember(transport, 'type'), textMember(extension, 'transport')];
  const fields = [
    ...(hasArguments && textsIn(extension, 'args').length > 0 ? ['args'] : []),
    ...(own !== undefined && other !== undefined && own !== other ? [`transport ${other}`] : []),
    ...replaced.map((name) => `the variable ${name}`),
  ];
  if (fields.length === 0) return [];
  return [`Left out of the extension, because the package or remote has its own: ${fields.join(', ')}.`];
}
