import type { ResourceClaims } from '@portolan/plugin-api';
import { type VNode, h } from 'preact';
import { problemList } from './fields.ts';
import { submitButton } from './form.ts';
import type { Problems } from './problems.ts';

/** Row of the claims editor: one claim, or one value of a claim. */
export interface ClaimRow {
  readonly name: string;
  readonly value: string;
  /** Whether any value of the claim is accepted. */
  readonly any: boolean;
}

/** Maximum number of rows in the editor. */
const MAX_ROWS = 200;

/** Converts claims to rows. A claim with several values becomes one row per value. */
export function rowsOf(claims: ResourceClaims | undefined): readonly ClaimRow[] {
  return Object.entries(claims ?? {}).flatMap(([name, value]): ClaimRow[] => {
    const values = typeof value === 'string' ? [value] : value;
    if (values.length === 0) return [{ name, value: '', any: true }];
    return values.map((one) => ({ name, value: one, any: false }));
  });
}

/** Returns the rows of a submitted form without the empty ones. */
export function rowsSent(form: URLSearchParams): readonly ClaimRow[] {
  const rows: ClaimRow[] = [];
  for (let at = 0; at < MAX_ROWS && form.has(`claims.${at}.name`); at += 1) {
    const name = form.get(`claims.${at}.name`)?.trim() ?? '';
    const value = form.get(`claims.${at}.value`)?.trim() ?? '';
    const any = form.has(`claims.${at}.any`);
    if (name !== '' || value !== '' || any) rows.push({ name, value, any });
  }
  return rows;
}

/** Converts rows to claims, and reports problems of the rows. */
export function claimsOf(rows: readonly ClaimRow[]): {
  readonly claims: ResourceClaims;
  readonly problems: readonly string[];
} {
  const values = new Map<string, Set<string>>();
  const problems = new Set<string>();
  for (const { name, value, any } of rows) {
    if (name === '') problems.add(`"${value}" is the value of no claim: its name is missing.`);
    else if (value === '' && !any)
      problems.add(`The claim "${name}" has no value. Any value will do only where that is ticked.`);
    else if (value !== '' && any)
      problems.add(`The claim "${name}" has a value, and any value is ticked as well.`);
    const known = values.get(name) ?? new Set<string>();
    if (value !== '') known.add(value);
    values.set(name, known);
  }
  for (const { name, any } of rows) {
    if (any && (values.get(name)?.size ?? 0) > 0)
      problems.add(`The claim "${name}" has values in other rows: then not any value will do.`);
  }
  const claims = Object.fromEntries(
    [...values].map(([name, set]) => {
      const [first, ...others] = set;
      return [name, first !== undefined && others.length === 0 ? first : [...set]];
    }),
  );
  return { claims, problems: [...problems] };
}

/** Renders the rows with a few empty ones. Works without JavaScript. */
export function claimsEditor(rows: readonly ClaimRow[], problems: Problems, hint: string): VNode {
  const shown = [...rows, ...Array.from({ length: 2 }, () => ({ name: '', value: '', any: false }))];
  const wrong = problems.get('claims') ?? [];
  return h(
    'fieldset',
    { class: wrong.length === 0 ? 'claims-editor' : 'claims-editor field-wrong' },
    h('legend', {}, 'Claims'),
    h(
      'p',
      { class: 'hint' },
      `${hint} Several rows with one name: any of the values will do. Rows that are empty do not count.`,
    ),
    problemList(wrong, 'field-claims-problem'),
    h(
      'div',
      { class: 'claim-row claim-head', 'aria-hidden': 'true' },
      h('span', {}, 'Name'),
      h('span', {}, 'Value'),
      // Keeps the header as wide as the checkbox column below it.
      h('span', { class: 'claim-any' }, h('input', { type: 'checkbox', disabled: true }), ' any value'),
    ),
    shown.slice(0, MAX_ROWS).map((row, at) => claimRow(at, row, at === 0)),
    submitButton('More rows', 'rows', 'quiet'),
  );
}

function claimRow(at: number, { name, value, any }: ClaimRow, isFirst: boolean): VNode {
  const label = (what: string) => `${what}, row ${at + 1}`;
  return h(
    'div',
    { class: 'claim-row' },
    h('input', {
      type: 'text',
      name: `claims.${at}.name`,
      value: name,
      placeholder: isFirst ? 'org' : undefined,
      'aria-label': label('Name of the claim'),
      autocomplete: 'off',
    }),
    h('input', {
      type: 'text',
      name: `claims.${at}.value`,
      value,
      placeholder: isFirst ? 'acme' : undefined,
      'aria-label': label('Value of the claim'),
      autocomplete: 'off',
    }),
    h(
      'label',
      { class: 'claim-any' },
      h('input', { type: 'checkbox', name: `claims.${at}.any`, value: 'yes', checked: any }),
      ' any value',
    ),
  );
}
