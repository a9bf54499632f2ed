import type { DocumentIssue } from '@portolan/entry-format';
import { type EntryType, PortolanError, type ResourceClaims } from '@portolan/plugin-api';

/** Creates the error for a source that is absent or hidden from the caller. Both have the same text. */
export function sourceNotFound(name: string): PortolanError {
  return new PortolanError('ERR_SOURCE_NOT_FOUND', 'absent', `There is no source "${name}".`, {
    hint: 'Check the name. GET /v1/sources lists the sources that you may see.',
  });
}

/** Creates the error for a registry that is absent or hidden from the caller. Both have the same text. */
export function registryNotFound(name: string): PortolanError {
  return new PortolanError('ERR_REGISTRY_NOT_FOUND', 'absent', `There is no registry "${name}".`, {
    hint: 'Check the name. GET /v1/registries lists the registries that you may see.',
  });
}

/**
 * Creates the error for an entry or version that is absent or hidden from the caller. All have the same text.
 */
export function entryNotFound(type: EntryType, name: string, version?: string): PortolanError {
  const what = version === undefined ? type : `version ${version} of ${type}`;
  return new PortolanError('ERR_ENTRY_NOT_FOUND', 'absent', `No managed source has a ${what} "${name}".`, {
    hint: 'Check the name. Only entries of a managed source can be changed here: change others in the file, repository or API that their source reads.',
  });
}

/** Creates the error for a short name, or a name in several sources, that matches more than one entry. */
export function entryAmbiguous(name: string, candidates: readonly string[]): PortolanError {
  return new PortolanError(
    'ERR_ENTRY_AMBIGUOUS',
    'conflict',
    `"${name}" matches several entries: ${candidates.join(', ')}.`,
    { hint: 'Use the full name, namespace/name. For a name in several sources add ?source=NAME.' },
  );
}

/** Creates the error for a request that sets claims which the caller does not hold. */
export function claimsBeyondCaller(names: readonly string[]): PortolanError {
  return names.length === 0
    ? new PortolanError(
        'ERR_CLAIMS_BEYOND_CALLER',
        'refused',
        'The resource has no claims; expected at least one claim from callers other than a superAdmin.',
        { hint: 'Set claims that you hold yourself.' },
      )
    : new PortolanError(
        'ERR_CLAIMS_BEYOND_CALLER',
        'refused',
        `The request sets claims that you do not hold, or not with these values: ${quoteNames(names)}.`,
        { hint: 'Set only claims that you hold yourself, with every value of a list.' },
      );
}

/**
 * Creates the error for a request that sets a claim to an empty list. Any value of that claim would satisfy
 * it.
 */
export function emptyListRefused(names: readonly string[]): PortolanError {
  return new PortolanError(
    'ERR_CLAIMS_BEYOND_CALLER',
    'refused',
    `The request sets ${quoteNames(names)} to an empty list, which every reader with that claim satisfies. Only a superAdmin may do so.`,
    { hint: 'Set each claim to at least one value that you hold yourself.' },
  );
}

function quoteNames(names: readonly string[]): string {
  return names.map((name) => JSON.stringify(name.slice(0, 64))).join(', ');
}

/** Creates the error for a change of a resource that the configuration file defines. */
export function madeByFile(what: 'source' | 'registry', name: string): PortolanError {
  return new PortolanError(
    'ERR_MADE_BY_FILE',
    'refused',
    `The ${what} "${name}" comes from the configuration file.`,
    { hint: 'Change the file, and restart the server.' },
  );
}

/**
 * Creates the error for a failed precondition: another writer changed or created the resource, or it is gone.
 */
export function revisionChanged(what: string): PortolanError {
  return new PortolanError(
    'ERR_REVISION_CHANGED',
    'conflict',
    `${what} has another revision than the request expects.`,
    { hint: 'Read it again, and repeat the change with the entity tag of that response.' },
  );
}

/** Creates the error for a new resource whose name is taken. */
export function madeBefore(what: string): PortolanError {
  return new PortolanError('ERR_REVISION_CHANGED', 'conflict', `${what} already exists.`, {
    hint: 'Choose another name, or change the existing one.',
  });
}

/** Creates the error for a change of a source's kind or of where it reads. Both are fixed at creation. */
export function kindChanged(name: string, before: string, after: string): PortolanError {
  return new PortolanError(
    'ERR_KIND_CHANGED',
    'mistake',
    `The source "${name}" is of kind ${before} and cannot become ${after}.`,
    { hint: 'Delete the source and create it again, or create one with another name.' },
  );
}

/** Creates the error for deleting a source that a registry still lists. */
export function sourceInUse(name: string, registries: readonly string[]): PortolanError {
  const listed = registries.map((registry) => `"${registry}"`).join(', ');
  return new PortolanError(
    'ERR_SOURCE_IN_USE',
    'conflict',
    `The source "${name}" is listed by ${registries.length === 0 ? 'a registry' : `registry ${listed}`}.`,
    { hint: 'Remove the source from the registry first.' },
  );
}

/** Creates the error for a request that names sources which do not exist. */
export function sourceUnknown(names: readonly string[]): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_UNKNOWN',
    'mistake',
    `There is no source ${names.map((name) => `"${name}"`).join(', ')}.`,
    { hint: 'Create the source first, or correct its name.' },
  );
}

/** Creates the error for a request that uses sources whose claims the caller does not satisfy. */
export function sourceForbidden(names: readonly string[]): PortolanError {
  const named =
    names.length === 0 ? 'any managed source' : `source ${names.map((name) => `"${name}"`).join(', ')}`;
  return new PortolanError('ERR_SOURCE_FORBIDDEN', 'refused', `Your claims do not let you use ${named}.`, {
    hint: 'Ask the operator of the registry for the required claims.',
  });
}

/** Creates the error for a sync request on a managed source. */
export function sourceNotSynced(name: string): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_NOT_SYNCED',
    'conflict',
    `The source "${name}" is managed; expected a synced source.`,
    { hint: 'Publish entries to a managed source. It needs no sync.' },
  );
}

/** Creates the error for a publish request on a server without a managed source. */
export function noManagedSource(): PortolanError {
  return new PortolanError(
    'ERR_NO_MANAGED_SOURCE',
    'conflict',
    'The server has no managed source to publish to.',
    {
      hint: 'Add a source with `managed: {}` to the configuration file, or create one through the API.',
    },
  );
}

/** Creates the error for a publish request that names a source which is not managed. */
export function sourceNotManaged(name: string): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_NOT_MANAGED',
    'mistake',
    `Source "${name}" is synced; expected a managed source.`,
    { hint: 'Publish to a source of kind `managed`.' },
  );
}

/** Creates the error for a publish request without a source name while several managed sources exist. */
export function sourceAmbiguous(names: readonly string[]): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_AMBIGUOUS',
    'mistake',
    `Several sources take publications: ${names.map((name) => `"${name}"`).join(', ')}.`,
    { hint: 'Name one of them: POST /v1/entries?source=NAME.' },
  );
}

/**
 * Creates the error for a publish request without claims, or with empty ones, while authentication is
 * enabled.
 */
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

/** Creates the error for an entry that has the maximum number of versions. */
export function tooManyVersions(name: string, most: number): PortolanError {
  return new PortolanError(
    'ERR_TOO_MANY_VERSIONS',
    'conflict',
    `Entry "${name}" has ${most} versions, which is the maximum.`,
    { hint: 'Delete old versions first.' },
  );
}

/** Creates the error for a status that the type of entry does not have, or an invalid status message. */
export function statusInvalid(problem: string): PortolanError {
  return new PortolanError('ERR_STATUS_INVALID', 'mistake', problem, {
    hint: 'Use active, deprecated or deleted for servers; skills and plugins may also be archived. Send no message with active.',
  });
}

/** Creates the error for a status change without effect. */
export function statusUnchanged(name: string): PortolanError {
  return new PortolanError(
    'ERR_STATUS_INVALID',
    'mistake',
    `The status and message of "${name}" are unchanged; expected a change.`,
    { hint: 'Send another status, or another message.' },
  );
}

/** Creates the error for a cursor that another list, or no list, created. */
export function cursorInvalid(): PortolanError {
  return new PortolanError('ERR_CURSOR_INVALID', 'mistake', 'The cursor is invalid.', {
    hint: 'Send metadata.nextCursor of the previous page, unchanged, to the same list.',
  });
}

/** Creates the error for a version that exists already, even if deleted. Versions are immutable. */
export function versionExists(name: string, version: string): PortolanError {
  return new PortolanError(
    'ERR_VERSION_EXISTS',
    'conflict',
    `Entry "${name}" already has a version ${version}.`,
    { hint: 'Publish under a new version.' },
  );
}

/**
 * Creates the error for a version whose claims differ from those of its entry. All versions share the same
 * claims.
 */
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
        ? `Set the claims of the entry first: \`${setClaims}\`. Then publish with the same claims.`
        : `Publish with the claims of the entry, or change the claims of all versions first: \`${setClaims}\`.`,
    },
  );
}

/** Creates the error for a name that belongs to an entry which the caller may not see. */
export function nameTaken(): PortolanError {
  return new PortolanError('ERR_ENTRY_NAME_TAKEN', 'conflict', 'This name is taken.', {
    hint: 'Publish under another name.',
  });
}

/** Creates the error for an invalid document. It lists all problems. */
export function documentInvalid(
  problems: readonly string[],
  issues: readonly DocumentIssue[],
): PortolanError & { readonly issues: readonly DocumentIssue[] } {
  const error = new PortolanError(
    'ERR_DOCUMENT_INVALID',
    'mistake',
    `The document has ${problems.length} problem(s): ${problems.join('; ')}.`,
    { hint: 'Correct each named place, and publish again.' },
  );
  return Object.assign(error, { issues });
}
