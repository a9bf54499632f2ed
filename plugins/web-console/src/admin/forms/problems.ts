import type { ApiAnswer } from '@portolan/plugin-api';
import { type ComponentChildren, h } from 'preact';
import { type ErrorAnswer, said } from '../parts/api-answers.ts';

/** What is wrong with a form, by the name of the field; that of no field stands under ''. */
export type Problems = ReadonlyMap<string, readonly string[]>;

export const NO_PROBLEMS: Problems = new Map();

/** What a form has for the API's words. */
export interface Places {
  /** The field of a place in the body, such as `syncPolicy.interval`; undefined: none. */
  readonly fieldOf: (place: string) => string | undefined;
  /** The fields of refusals that tell no place, by their codes. */
  readonly byCode?: Readonly<Record<string, string>>;
  /** What there is to do, by the field, where the form knows it better than the API. */
  readonly hints?: Readonly<Record<string, string>>;
}

/** The places of a form for something new, which has a field for its name. One that is taken is no reason to change what has it. */
export function withName(places: Places): Places {
  return {
    fieldOf: (place) => (place === 'name' ? 'name' : places.fieldOf(place)),
    byCode: { ...places.byCode, ERR_REVISION_CHANGED: 'name', ERR_MADE_BY_FILE: 'name' },
    hints: { ...places.hints, name: 'Choose another name.' },
  };
}

/** A refusal, each problem at its field. What fits nowhere, and what there is to do about it, stands on top. */
export function problemsOf(answer: ApiAnswer, { fieldOf, byCode = {}, hints = {} }: Places): Problems {
  const {
    error = `The server answered with ${answer.status}.`,
    code = '',
    hint,
    issues,
  } = said<ErrorAnswer>(answer);
  const found = new Map<string, string[]>();
  const add = (field: string, text: string, own?: string): void => {
    const told = withHint(text, own === undefined ? undefined : (hints[field] ?? own));
    found.set(field, [...(found.get(field) ?? []), told]);
  };
  const field = Object.hasOwn(byCode, code) ? byCode[code] : undefined;
  const placed = issues ?? [];
  if (placed.length === 0) add(field ?? '', error, hint);
  // What there is to do is told with what is wrong, where it is known to belong to that.
  const isOfOne = placed.length === 1;
  for (const issue of placed) {
    const place = fieldOf(issue.path);
    const own = issue.hint ?? (isOfOne ? hint : undefined);
    const text = place === undefined && issue.path !== '' ? `${issue.path}: ${issue.message}` : issue.message;
    add(place ?? field ?? '', text, own);
  }
  const isTold = placed.length < 2 || placed.some((issue) => issue.hint !== undefined);
  if (hint !== undefined && !isTold) add('', hint);
  return found;
}

/** In the words of a form, whose fields are empty rather than nothing. */
function withHint(text: string, hint: string | undefined): string {
  const plain = text.replace(/^Found nothing; expected /, 'Needed: ');
  return hint === undefined ? plain : `${plain.replace(/(?<![.!?])$/, '.')} ${hint}`;
}

/** Places are looked for among the fields from the whole of one to its beginning: `git.auth.username` is in `git.auth`. */
export function nearestField(place: string, fields: ReadonlyMap<string, string>): string | undefined {
  for (let text = place; text !== ''; text = text.replace(/(?:^|[.[])[^.[]*$/, '')) {
    const field = fields.get(text);
    if (field !== undefined) return field;
  }
  return undefined;
}

/** What stands above a form that was refused. */
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
