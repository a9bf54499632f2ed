import type { DocumentIssue } from '@portolan/entry-format';
import { type EntryType, PortolanError, type ResourceClaims } from '@portolan/plugin-api';

/** A source does not exist, or is hidden from the caller: both have this text. */
export function sourceNotFound(name: string): PortolanError {
  return new PortolanError('ERR_SOURCE_NOT_FOUND', 'absent', `There is no source "${name}".`, {
    hint: 'GET /v1/sources lists those you may see.',
  });
}

/** A registry does not exist, or is hidden from the caller: both have this text. */
export function registryNotFound(name: string): PortolanError {
  return new PortolanError('ERR_REGISTRY_NOT_FOUND', 'absent', `There is no registry "${name}".`, {
    hint: 'GET /v1/registries lists those you may see.',
  });
}

/** An entry, or this version of it, does not exist or is hidden from the caller: all have this text. */
export function entryNotFound(type: EntryType, name: string, version?: string): PortolanError {
  const what = version === undefined ? type : `version ${version} of ${type}`;
  return new PortolanError(
    'ERR_ENTRY_NOT_FOUND',
    'absent',
    `There is no ${what} "${name}" that was published here.`,
    { hint: 'Only entries of managed sources can be changed; the others change where their source is kept.' },
  );
}

/** A short name, or a name in several sources, stands for more than one entry. */
export function entryAmbiguous(name: string, candidates: readonly string[]): PortolanError {
  return new PortolanError(
    'ERR_ENTRY_AMBIGUOUS',
    'conflict',
    `"${name}" stands for several entries: ${candidates.join(', ')}.`,
    { hint: 'Write the whole name, namespace/name; for a name in several sources add ?source=NAME.' },
  );
}

/** A request gives a resource claims that the caller does not hold. */
export function claimsBeyondCaller(names: readonly string[]): PortolanError {
  return names.length === 0
    ? new PortolanError(
        'ERR_CLAIMS_BEYOND_CALLER',
        'refused',
        'Only a superAdmin may leave a resource without claims.',
        { hint: 'Give it claims that you hold yourself.' },
      )
    : new PortolanError(
        'ERR_CLAIMS_BEYOND_CALLER',
        'refused',
        `The request gives claims that you do not hold, or not with these values: ${quoteNames(names)}.`,
        { hint: 'Give only claims that you hold yourself, with every value of a list.' },
      );
}

/** A request sets a claim to an empty list, which any value of that claim satisfies. */
export function emptyListRefused(names: readonly string[]): PortolanError {
  return new PortolanError(
    'ERR_CLAIMS_BEYOND_CALLER',
    'refused',
    `The request gives an empty list to ${quoteNames(names)}. Only a superAdmin may do so: every reader with that claim would satisfy it.`,
    { hint: 'Give each claim at least one value that you hold yourself.' },
  );
}

function quoteNames(names: readonly string[]): string {
  return names.map((name) => JSON.stringify(name.slice(0, 64))).join(', ');
}

/** What the configuration file defines is changed there. */
export function madeByFile(what: 'source' | 'registry', name: string): PortolanError {
  return new PortolanError(
    'ERR_MADE_BY_FILE',
    'refused',
    `The ${what} "${name}" comes from the configuration file.`,
    { hint: 'Change it in the file, and start the server again.' },
  );
}

/** Somebody else changed the resource meanwhile, or made it, or it is not there. */
export function revisionChanged(what: string): PortolanError {
  return new PortolanError(
    'ERR_REVISION_CHANGED',
    'conflict',
    `${what} is not as the request expects it to be.`,
    { hint: 'Read it again, and repeat the change with the entity tag of that answer.' },
  );
}

/** Something was to be made under a name that is taken. */
export function madeBefore(what: string): PortolanError {
  return new PortolanError('ERR_REVISION_CHANGED', 'conflict', `${what} is there already.`, {
    hint: 'Choose another name, or change what is there.',
  });
}

/** What a source is, and where it finds its data, is decided when it is made. */
export function kindChanged(name: string, before: string, after: string): PortolanError {
  return new PortolanError(
    'ERR_KIND_CHANGED',
    'mistake',
    `The source "${name}" is of kind ${before} and cannot become ${after}.`,
    { hint: 'Delete it and make another one, or make one under another name.' },
  );
}

/** A registry still lists a source that is to be deleted. */
export function sourceInUse(name: string, registries: readonly string[]): PortolanError {
  const listed = registries.map((registry) => `"${registry}"`).join(', ');
  return new PortolanError(
    'ERR_SOURCE_IN_USE',
    'conflict',
    `The source "${name}" is listed by ${registries.length === 0 ? 'a registry' : `registry ${listed}`}.`,
    { hint: 'Take it out of the registry first.' },
  );
}

/** A request names sources that do not exist. */
export function sourceUnknown(names: readonly string[]): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_UNKNOWN',
    'mistake',
    `There is no source ${names.map((name) => `"${name}"`).join(', ')}.`,
    { hint: 'Make the source first, or correct its name.' },
  );
}

/** A request uses sources whose claims the caller does not satisfy. */
export function sourceForbidden(names: readonly string[]): PortolanError {
  const named =
    names.length === 0 ? 'any managed source' : `source ${names.map((name) => `"${name}"`).join(', ')}`;
  return new PortolanError('ERR_SOURCE_FORBIDDEN', 'refused', `Your claims do not let you use ${named}.`, {
    hint: 'Ask whoever runs the registry for the claims it requires.',
  });
}

/** A sync was asked of a source that is filled by publishing. */
export function sourceNotSynced(name: string): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_NOT_SYNCED',
    'conflict',
    `The source "${name}" is not read from anywhere.`,
    { hint: 'Entries come to it by publishing.' },
  );
}

/** There is nothing to publish to. */
export function noManagedSource(): PortolanError {
  return new PortolanError('ERR_NO_MANAGED_SOURCE', 'conflict', 'There is no managed source to publish to.', {
    hint: 'Add a source with `managed: {}` to the configuration file, or make one through the API.',
  });
}

/** A publish names a source that does not take publications. */
export function sourceNotManaged(name: string): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_NOT_MANAGED',
    'mistake',
    `Source "${name}" does not take publications.`,
    { hint: 'Publish to a source of kind `managed`.' },
  );
}

/** Several sources take publications, and the request names none. */
export function sourceAmbiguous(names: readonly string[]): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_AMBIGUOUS',
    'mistake',
    `Several sources take publications: ${names.map((name) => `"${name}"`).join(', ')}.`,
    { hint: 'Choose one: POST /v1/entries?source=NAME.' },
  );
}

/** A publish has no claims, or empty ones, where authentication is enabled. */
export function claimsRequired(): PortolanError {
  return new PortolanError(
    'ERR_CLAIMS_REQUIRED',
    'mistake',
    'The publish has no claims; expected at least one claim.',
    {
      hint: 'Add "claims" to the body, for example {"org": "acme"}. Readers with these claims see the entry.',
    },
  );
}

/** An entry has as many versions as it may have. */
export function tooManyVersions(name: string, most: number): PortolanError {
  return new PortolanError(
    'ERR_TOO_MANY_VERSIONS',
    'conflict',
    `Entry "${name}" has ${most} versions, and may have no more.`,
    { hint: 'Delete old versions first.' },
  );
}

/** A change of status that the kind of entry does not have, or with a text that cannot be taken. */
export function statusInvalid(problem: string): PortolanError {
  return new PortolanError('ERR_STATUS_INVALID', 'mistake', problem, {
    hint: 'Servers are active, deprecated or deleted; skills and plugins also archived. Active ones have no message.',
  });
}

/** A change of status that would leave everything as it is. */
export function statusUnchanged(name: string): PortolanError {
  return new PortolanError(
    'ERR_STATUS_UNCHANGED',
    'mistake',
    `Nothing of "${name}" would change: it has this status and message.`,
    { hint: 'Send another status, or another message.' },
  );
}

/** The place to go on from was not made by the list it was sent to. */
export function cursorInvalid(): PortolanError {
  return new PortolanError('ERR_CURSOR_INVALID', 'mistake', 'The cursor cannot be read.', {
    hint: 'Send metadata.nextCursor of the page before, unchanged, to the same list.',
  });
}

/** Versions are immutable: the version string is taken, by a deleted version as well. */
export function versionExists(name: string, version: string): PortolanError {
  return new PortolanError(
    'ERR_VERSION_EXISTS',
    'conflict',
    `Entry "${name}" already has a version ${version}.`,
    { hint: 'Publish under a new version.' },
  );
}

/** A later version carries other claims than its entry. All versions of an entry have the same claims. */
export function claimsDifferFromEntry(
  { type, name }: { readonly type: EntryType; readonly name: string },
  current: ResourceClaims,
): PortolanError {
  const isUnlabelled = Object.keys(current).length === 0;
  const setClaims = `portolan entries claims set ${type}/${name} --claim KEY=VALUE`;
  return new PortolanError(
    'ERR_CLAIMS_DIFFER',
    'conflict',
    isUnlabelled
      ? `Entry "${name}" has no claims; the new version has some.`
      : `Entry "${name}" has other claims than the new version.`,
    {
      hint: isUnlabelled
        ? `Set the claims of the entry first: \`${setClaims}\`. Then publish with the same ones.`
        : `Publish with the claims of the entry, or change those of all versions first: \`${setClaims}\`.`,
    },
  );
}

/** An entry that the caller may not see has this name. */
export function nameTaken(): PortolanError {
  return new PortolanError('ERR_ENTRY_NAME_TAKEN', 'conflict', 'This name is taken.', {
    hint: 'Publish under another name.',
  });
}

/** A document to publish breaks the rules; all problems are listed. */
export function documentInvalid(
  problems: readonly string[],
  issues: readonly DocumentIssue[],
): PortolanError & { readonly issues: readonly DocumentIssue[] } {
  const error = new PortolanError(
    'ERR_DOCUMENT_INVALID',
    'mistake',
    `The document has ${problems.length} problem(s): ${problems.join('; ')}.`,
    { hint: 'Correct what is named, and publish again.' },
  );
  return Object.assign(error, { issues });
}
