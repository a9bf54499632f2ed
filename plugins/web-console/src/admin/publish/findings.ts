import { type ComponentChildren, h, type VNode } from 'preact';
import type { View } from '../../layout/view.ts';
import { type ErrorResponse, type Issue, said } from '../parts/api-responses.ts';
import { parseDocument, type PublishTyped } from './publication.ts';

/** Result of checking a document: the reason why it cannot be checked, or all its problems. */
export type Findings = string | readonly Issue[];

/** Validates a document through the API. Writes nothing. */
export async function findFaults(
  { api }: Pick<View, 'api'>,
  { type, document }: PublishTyped,
): Promise<Findings> {
  const parsed = parseDocument(document);
  if (typeof parsed === 'string') return parsed;
  const response = await api({ method: 'POST', path: '/v1/validate', body: { [type]: parsed } });
  if (response.status !== 200)
    return said<ErrorResponse>(response).error ?? 'The document could not be looked at.';
  return said<{ readonly issues: readonly Issue[] }>(response).issues;
}

/** Renders the problems of a document. The script replaces this list while the user types. */
export function findingsList(findings: Findings | undefined): VNode {
  return h('div', { id: 'findings-list' }, findings === undefined ? undefined : described(findings));
}

function described(findings: Findings): ComponentChildren {
  if (typeof findings === 'string') return h('p', { class: 'problem' }, findings);
  if (findings.length === 0) return h('p', { class: 'fine' }, 'Nothing is wrong with the document.');
  return h(
    'ul',
    { class: 'finding-list' },
    findings.map(({ path, message, severity = 'error' }) =>
      h(
        'li',
        { class: `finding finding-${severity}` },
        h('span', { class: 'finding-severity' }, severity),
        ' ',
        path === '' ? undefined : [h('code', {}, path), ' '],
        message,
      ),
    ),
  );
}
