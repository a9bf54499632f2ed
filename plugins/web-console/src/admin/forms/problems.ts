import type { ApiResponse } from '@portolan/plugin-api';
import { type ComponentChildren, h } from 'preact';
import { type ErrorResponse, said } from '../parts/api-responses.ts';

/** Problems of a form by field name. The key '' has problems that belong to no field. */
export type Problems = ReadonlyMap<string, readonly string[]>;

export const NO_PROBLEMS: Problems = new Map();

/** Maps paths and codes of API errors to fields. */
export interface Places {
  /** Returns the field for a path in the request body, such as `syncPolicy.interval`. */
  readonly fieldOf: (place: string) => string | undefined;
  /** Fields for errors without a path, by error code. */
  readonly byCode?: Readonly<Record<string, string>>;
  /** Hints by field name, which replace the hint of the API. */
  readonly hints?: Readonly<Record<string, string>>;
}

/** Adds the name field of a form that creates a resource. A taken name is reported at this field. */
export function withName(places: Places): Places {
  return {
    fieldOf: (place) => (place === 'name' ? 'name' : places.fieldOf(place)),
    byCode: { ...places.byCode, ERR_REVISION_CHANGED: 'name', ERR_MADE_BY_FILE: 'name' },
    hints: { ...places.hints, name: 'Choose another name.' },
  };
}

/**
 * Returns the problems in an error response by field. Problems and hints that match no field get the key ''.
 */
export function problemsOf(response: ApiResponse, { fieldOf, byCode = {}, hints = {} }: Places): Problems {
  const {
    error = `The server responded with ${response.status}.`,
    code = '',
    hint,
    issues,
  } = said<ErrorResponse>(response);
  const matches = new Map<string, string[]>();
  const add = (field: string, text: string, own?: string): void => {
    const message = withHint(text, own === undefined ? undefined : (hints[field] ?? own));
    matches.set(field, [...(matches.get(field) ?? []), message]);
  };
  const field = Object.hasOwn(byCode, code) ? byCode[code] : undefined;
  const placed = issues ?? [];
  if (placed.length === 0) add(field ?? '', error, hint);
  // With several issues, it is unknown which one the hint is about.
  const isOfOne = placed.length === 1;
  for (const issue of placed) {
    const place = fieldOf(issue.path);
    const own = issue.hint ?? (isOfOne ? hint : undefined);
    const text = place === undefined && issue.path !== '' ? `${issue.path}: ${issue.message}` : issue.message;
    add(place ?? field ?? '', text, own);
  }
  const isTold = placed.length < 2 || placed.some((issue) => issue.hint !== undefined);
  if (hint !== undefined && !isTold) add('', hint);
  return matches;
}

/** Appends a hint. Replaces "Found nothing" with "Needed", because a form field is empty and not absent. */
function withHint(text: string, hint: string | undefined): string {
  const plain = text.replace(/^Found nothing; expected /, 'Needed: ');
  return hint === undefined ? plain : `${plain.replace(/(?<![.!?])$/, '.')} ${hint}`;
}

/** Returns the field of the longest known prefix of a path: `git.auth.username` belongs to `git.auth`. */
export function nearestField(place: string, fields: ReadonlyMap<string, string>): string | undefined {
  for (let text = place; text !== ''; text = text.replace(/(?:^|[.[])[^.[]*$/, '')) {
    const field = fields.get(text);
    if (field !== undefined) return field;
  }
  return undefined;
}

export function problemSummary(problems: Problems): ComponentChildren {
  if (problems.size === 0) return undefined;
  const general = problems.get('') ?? [];
  const elsewhere = [...problems]
    .filter(([field]) => field !== '')
    .reduce((sum, [, texts]) => sum + texts.length, 0);
  return h(
    'div',
    { class: 'problems', role: 'alert' },
    h('p', {}, h('strong', {}, 'Nothing was changed.')),
    general.length === 0
      ? undefined
      : h(
          'ul',
          {},
          general.map((text) => h('li', {}, text)),
        ),
    elsewhere === 0
      ? undefined
      : h(
          'p',
          {},
          elsewhere === 1 ? 'One problem is marked below.' : `${elsewhere} problems are marked below.`,
        ),
  );
}
