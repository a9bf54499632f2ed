import type { VNode } from 'preact';
import { claimsEditor, claimsOf, type ClaimRow, rowsOf, rowsSent } from '../forms/claims-editor.ts';
import { textArea, textField } from '../forms/fields.ts';
import { actions, cancelLink, linesOf, postForm, submitButton } from '../forms/form.ts';
import { nearestField, type Places, type Problems, problemSummary, withName } from '../forms/problems.ts';
import { ALL_REGISTRIES, registryPath } from './registry-paths.ts';
import { claimsHint } from '../parts/access-mode.ts';
import type { RegistryResponse } from '../parts/api-responses.ts';
import type { ManageView } from '../parts/manage-page.ts';

export interface RegistryTyped {
  readonly name: string;
  readonly sources: string;
  readonly claims: readonly ClaimRow[];
}

export const NOTHING_TYPED: RegistryTyped = { name: '', sources: '', claims: [] };

export function typedOfRegistry({ name, sources, claims }: RegistryResponse): RegistryTyped {
  return { name, sources: sources.join('\n'), claims: rowsOf(claims) };
}

export function typedOfForm(form: URLSearchParams): RegistryTyped {
  return { name: form.get('name') ?? '', sources: form.get('sources') ?? '', claims: rowsSent(form) };
}

export function readRegistry(form: URLSearchParams): {
  readonly body: Readonly<Record<string, unknown>>;
  readonly problems: Problems;
} {
  const { claims, problems } = claimsOf(rowsSent(form));
  return {
    body: { sources: linesOf(form.get('sources')), ...(Object.keys(claims).length === 0 ? {} : { claims }) },
    problems: problems.length === 0 ? new Map() : new Map([['claims', problems]]),
  };
}

const FIELDS = new Map(['sources', 'claims'].map((name) => [name, name]));

export const CHANGED_PLACES: Places = {
  fieldOf: (place) => nearestField(place, FIELDS),
  byCode: {
    ERR_CLAIMS_BEYOND_CALLER: 'claims',
    ERR_CLAIMS_REQUIRED: 'claims',
    ERR_SOURCE_UNKNOWN: 'sources',
    ERR_SOURCE_FORBIDDEN: 'sources',
  },
};

/** Maps paths and codes of API errors to fields of a new registry's form, which has a name field. */
export const NEW_PLACES = withName(CHANGED_PLACES);

/** Renders the form. Without a revision it creates a registry, and has a name field. */
export async function registryForm(
  view: ManageView,
  {
    path,
    typed,
    problems,
    known,
    revision,
  }: {
    readonly path: string;
    readonly typed: RegistryTyped;
    readonly problems: Problems;
    /** Names of sources that the visitor may see; empty if they may not list sources. */
    readonly known: readonly string[];
    readonly revision?: string | undefined;
  },
): Promise<VNode> {
  const isNew = revision === undefined;
  const hint = `One name on each line. The first source that has an entry wins.${known.length === 0 ? '' : ` There are: ${known.join(', ')}.`}`;
  return postForm(
    view,
    { path, label: isNew ? 'New registry' : `Registry ${typed.name}`, revision },
    problemSummary(problems),
    isNew
      ? textField(
          {
            name: 'name',
            label: 'Name',
            hint: "Part of the registry's address: letters, digits and inner dots, hyphens and underscores, at most 128. It cannot be changed later.",
            required: true,
            problems,
          },
          typed.name,
        )
      : undefined,
    textArea({ name: 'sources', label: 'Sources, in order', hint, required: true, problems }, typed.sources, {
      rows: 5,
    }),
    claimsEditor(typed.claims, problems, await claimsHint(view, 'registry')),
    actions(
      submitButton(isNew ? 'Make the registry' : 'Save'),
      cancelLink(view.at(isNew ? ALL_REGISTRIES.path : registryPath(typed.name))),
    ),
  );
}
