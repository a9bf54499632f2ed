import { type ComponentChildren, type VNode, h } from 'preact';
import { claimsEditor, claimsOf, type ClaimRow, rowsOf, rowsSent } from '../forms/claims-editor.ts';
import { checkBox, textArea, textField } from '../forms/fields.ts';
import { actions, cancelLink, linesOf, postForm, submitButton } from '../forms/form.ts';
import { nearestField, type Places, type Problems, problemSummary, withName } from '../forms/problems.ts';
import { claimsHint } from '../parts/access-mode.ts';
import type { FilterResponse, SourceResponse, SourceKindResponse } from '../parts/api-responses.ts';
import type { ManageView } from '../parts/manage-page.ts';
import {
  blockField,
  blockFields,
  blockPlaces,
  mayEcho,
  settingsIn,
  storedAt,
  typedOf,
} from './block-fields.ts';
import { readBlock } from './read-block.ts';
import { ALL_SOURCES, sourcePath } from './source-paths.ts';

export interface SourceTyped {
  readonly name: string;
  readonly block: (path: string) => string;
  readonly interval: string;
  readonly allowShrink: boolean;
  readonly filters: (field: string) => string;
  readonly claims: readonly ClaimRow[];
}

const FILTERS = [
  ['names.include', 'Only these names', 'Patterns such as com.acme/*, one on each line.'],
  ['names.exclude', 'Not these names', 'Stronger than the field before.'],
  ['tags.include', 'Only these tags', 'One on each line.'],
  ['tags.exclude', 'Not these tags', 'Stronger than the field before.'],
] as const;

export const NOTHING_TYPED: SourceTyped = {
  name: '',
  block: () => '',
  interval: '',
  allowShrink: false,
  filters: () => '',
  claims: [],
};

export function typedOfSource(source: SourceResponse, { schema }: SourceKindResponse): SourceTyped {
  const settings = settingsIn(schema);
  return {
    name: source.name,
    block: (path) => typedOf(settings.get(path) ?? {}, storedAt(source.sourceConfig, path)),
    interval: source.syncSchedule ?? '',
    allowShrink: source.allowShrink === true,
    filters: (field) => filterLines(source.filterConfig ?? {}, field).join('\n'),
    claims: rowsOf(source.claims),
  };
}

/** Returns the submitted values for display again, without possible secrets. */
export function typedOfForm(form: URLSearchParams, { schema }: SourceKindResponse): SourceTyped {
  const settings = settingsIn(schema);
  return {
    name: form.get('name') ?? '',
    block: (path) => {
      const text = form.get(blockField(path)) ?? '';
      return mayEcho(settings.get(path) ?? {}, text) ? text : '';
    },
    interval: form.get('interval') ?? '',
    allowShrink: form.has('allowShrink'),
    filters: (field) => form.get(`filter.${field}`) ?? '',
    claims: rowsSent(form),
  };
}

function filterLines(filter: FilterResponse, field: string): readonly string[] {
  const [what = '', side = ''] = field.split('.');
  const list = filter[what as 'names' | 'tags']?.[side as 'include' | 'exclude']; // one of FILTERS
  return list ?? [];
}

export function readSource(
  form: URLSearchParams,
  { kind, schema }: SourceKindResponse,
): { readonly body: Readonly<Record<string, unknown>>; readonly problems: Problems } {
  const { block, problems: unread } = readBlock(schema, form);
  const { claims, problems: wrongClaims } = claimsOf(rowsSent(form));
  const interval = form.get('interval')?.trim() ?? '';
  const side = (what: string) => {
    const include = linesOf(form.get(`filter.${what}.include`));
    const exclude = linesOf(form.get(`filter.${what}.exclude`));
    if (include.length + exclude.length === 0) return {};
    return {
      [what]: { ...(include.length === 0 ? {} : { include }), ...(exclude.length === 0 ? {} : { exclude }) },
    };
  };
  const filter = { ...side('names'), ...side('tags') };
  const problems = new Map(unread);
  if (wrongClaims.length > 0) problems.set('claims', wrongClaims);
  return {
    body: {
      [kind]: block,
      ...(interval === ''
        ? {}
        : { syncPolicy: { interval, ...(form.has('allowShrink') ? { allowShrink: true } : {}) } }),
      ...(Object.keys(filter).length === 0 ? {} : { filter }),
      ...(Object.keys(claims).length === 0 ? {} : { claims }),
    },
    problems,
  };
}

/** Maps paths and codes of API errors to fields. Only the form of a new source has a name field. */
export function sourcePlaces({ kind, schema }: SourceKindResponse, isNew: boolean): Places {
  const fields = new Map([
    ['claims', 'claims'],
    ['syncPolicy', 'interval'],
    ...FILTERS.map(([field]) => [`filter.${field}`, `filter.${field}`] as const),
    ...blockPlaces(schema).map(([place, field]) => [`${kind}.${place}`, field] as const),
  ]);
  const places: Places = {
    fieldOf: (place) => nearestField(place, fields),
    byCode: { ERR_CLAIMS_BEYOND_CALLER: 'claims', ERR_CLAIMS_REQUIRED: 'claims' },
  };
  return isNew ? withName(places) : places;
}

interface SourceFormOptions {
  readonly path: string;
  readonly kind: SourceKindResponse;
  readonly typed: SourceTyped;
  readonly problems: Problems;
  /** Revision that is edited; undefined for a new source. */
  readonly revision?: string | undefined;
}

/** Renders the form. Without a revision it creates a source, and has a name field. */
export async function sourceForm(
  view: ManageView,
  { path, kind, typed, problems, revision }: SourceFormOptions,
): Promise<VNode> {
  const isNew = revision === undefined;
  const isPublished = kind.claimsFrom === 'publisher';
  return postForm(
    view,
    { path, label: isNew ? 'New source' : `Source ${typed.name}`, revision },
    problemSummary(problems),
    h('input', { type: 'hidden', name: 'kind', value: kind.kind }),
    isNew
      ? textField(
          {
            name: 'name',
            label: 'Name',
            hint: 'Lower-case letters, digits and inner hyphens, at most 63. It cannot be changed later.',
            required: true,
            problems,
          },
          typed.name,
        )
      : undefined,
    settingsPart(kind, typed, problems),
    isPublished ? undefined : intervalField(kind, typed, problems),
    isPublished
      ? undefined
      : checkBox(
          {
            name: 'allowShrink',
            label: 'Allow syncs that remove most entries',
            hint: 'Without this, Portolan holds back a sync that removes all entries, or more than half when there are at least ten.',
            problems,
          },
          typed.allowShrink,
        ),
    isPublished ? undefined : filters(typed, problems),
    claimsEditor(
      typed.claims,
      problems,
      await claimsHint(view, kind.claimsFrom === 'source' ? 'sourceWithEntries' : 'sourceAlone'),
    ),
    actions(
      submitButton(isNew ? 'Make the source' : 'Save'),
      cancelLink(view.at(isNew ? ALL_SOURCES.path : sourcePath(typed.name))),
    ),
  );
}

function intervalField(kind: SourceKindResponse, typed: SourceTyped, problems: Problems): VNode {
  const isFixedAtTimes = kind.claimsFrom === 'source' && !kind.needsInterval;
  return textField(
    {
      name: 'interval',
      label: 'Time between two syncs',
      hint: 'For example 30m or 6h.',
      required: kind.needsInterval,
      ...(isFixedAtTimes ? { neededWhen: 'unless the source can never change' } : {}),
      problems,
    },
    typed.interval,
    { placeholder: '30m' },
  );
}

function settingsPart(
  { kind, schema }: SourceKindResponse,
  typed: SourceTyped,
  problems: Problems,
): ComponentChildren {
  const fields = blockFields(schema, typed.block, problems);
  if (fields.length === 0) return undefined;
  const ways = schema.oneOf?.map(({ required }) => required.join(' and '));
  return h(
    'fieldset',
    {},
    h('legend', {}, schema.title ?? `Settings of ${kind}`),
    schema.description === undefined ? undefined : h('p', { class: 'hint' }, schema.description),
    ways === undefined ? undefined : h('p', { class: 'hint' }, `Exactly one of ${ways.join(', ')}.`),
    fields,
  );
}

function filters(typed: SourceTyped, problems: Problems): VNode {
  return h(
    'details',
    { open: FILTERS.some(([field]) => typed.filters(field) !== '' || problems.has(`filter.${field}`)) },
    h('summary', {}, 'Which entries are taken'),
    FILTERS.map(([field, label, hint]) =>
      textArea({ name: `filter.${field}`, label, hint, problems }, typed.filters(field)),
    ),
  );
}
