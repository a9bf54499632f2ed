import type { Entry } from '../responses/entry.ts';
import { listOf, mapOf, textOf, textsOf } from '../responses/json-value.ts';
import { inputsOf, PLACE_WORDS } from './inputs.ts';
import { permissionsOf } from './describe-permissions.ts';
import { EFFECT_WORDS, type Tool, toolsOf } from './tools.ts';

export interface Change {
  readonly about: string;
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** Functions that list what a user notices about a version, by aspect. */
const ASPECTS: Readonly<Record<string, (entry: Entry) => readonly string[]>> = {
  Title: ({ title }) => [title],
  Description: ({ description }) => [description],
  Status: ({ status }) => [status],
  Tools: (entry) => [...toolsOf(entry).map(toolLine), ...textsOf(entry.document['allowedTools'])],
  Packages: ({ document }) => listOf(document['packages']).map(mapOf).map(packageLine),
  Addresses: ({ document }) =>
    listOf(document['remotes'])
      .map(mapOf)
      .map(({ type, url }) => `${textOf(type) ?? ''} ${textOf(url) ?? ''}`.trim()),
  'To provide': ({ document }) => [
    ...new Set(
      [...listOf(document['packages']), ...listOf(document['remotes'])]
        .map(mapOf)
        .flatMap(inputsOf)
        .map(
          ({ name, place, isRequired, isSecret }) =>
            `${name} (${PLACE_WORDS[place].toLowerCase()}${isRequired ? ', required' : ''}${isSecret ? ', secret' : ''})`,
        ),
    ),
  ],
  Permissions: ({ extension }) =>
    (permissionsOf(extension) ?? []).map(({ text, items }) => [text, ...items].join(' ')),
  Tags: ({ tags }) => tags,
  Repository: ({ document }) => {
    const { url, subfolder } = mapOf(document['repository']);
    return [url, subfolder].flatMap((part) => textOf(part) ?? []);
  },
  Licence: ({ document }) => [document['license']].flatMap((text) => textOf(text) ?? []),
};

/** Returns what differs between two versions, by aspect. Aspects of `except` are left out. */
export function changesBetween(
  before: Entry,
  after: Entry,
  except: readonly string[] = [],
): readonly Change[] {
  const aspects = Object.entries(ASPECTS).filter(([about]) => !except.includes(about));
  return aspects.flatMap(([about, linesOf]) => {
    const [old, now] = [new Set(linesOf(before)), new Set(linesOf(after))];
    const change = {
      about,
      added: [...now].filter((line) => !old.has(line)),
      removed: [...old].filter((line) => !now.has(line)),
    };
    return change.added.length + change.removed.length === 0 ? [] : [change];
  });
}

/** Formats a tool with everything that a model decides by, so that any difference shows. */
function toolLine({ name, description, takes, effect }: Tool): string {
  const parameters = takes.map(
    (one) => `${one.name}${one.isRequired ? '' : '?'}${one.type === undefined ? '' : `: ${one.type}`}`,
  );
  return [
    takes.length === 0 ? name : `${name}(${parameters.join(', ')})`,
    effect === undefined ? '' : `, ${EFFECT_WORDS[effect]}`,
    // The complete text, because a change after a truncation would be missed.
    description === undefined ? '' : `: ${description}`,
  ].join('');
}

function packageLine({
  registryType,
  identifier,
  version,
  url,
  ref,
  commit,
}: Readonly<Record<string, unknown>>): string {
  return [registryType, identifier ?? url, version ?? commit ?? ref]
    .flatMap((part) => textOf(part) ?? [])
    .join(' ');
}
