import { ENTRY_TYPES } from '@portolan/plugin-api';
import { type VNode, h } from 'preact';
import { claimsEditor } from '../forms/claims-editor.ts';
import { choicesOf, NOT_CHOSEN, selectField, textArea, textField } from '../forms/fields.ts';
import { actions, postForm, submitButton } from '../forms/form.ts';
import { type Places, type Problems, problemSummary } from '../forms/problems.ts';
import { claimsHint } from '../parts/access-mode.ts';
import type { ManageView } from '../parts/manage-page.ts';
import { managedSources } from '../sources/visible-sources.ts';
import type { Issue } from '../parts/api-responses.ts';
import { type Findings, findingsList } from './findings.ts';
import type { PublishTyped } from './publication.ts';

export const PUBLISH = '/manage/publish';
export const CHECK = '/manage/publish/check';

/** Fields for error codes of the API. Problems of the document are listed separately. */
export const PUBLISH_PLACES: Places = {
  fieldOf: (place) => (place === 'claims' || place.startsWith('claims.') ? 'claims' : undefined),
  byCode: {
    ERR_CLAIMS_BEYOND_CALLER: 'claims',
    ERR_CLAIMS_DIFFER: 'claims',
    ERR_CLAIMS_REQUIRED: 'claims',
    ERR_ENTRY_NAME_TAKEN: 'document',
    ERR_SOURCE_UNKNOWN: 'source',
    ERR_SOURCE_NOT_MANAGED: 'source',
    ERR_SOURCE_AMBIGUOUS: 'source',
    ERR_SOURCE_FORBIDDEN: 'source',
    ERR_NO_MANAGED_SOURCE: 'source',
    ERR_VERSION_EXISTS: 'document',
    ERR_TOO_MANY_VERSIONS: 'document',
  },
};

/** Renders the form. The script checks the document while the user types. */
export async function publishForm(
  view: ManageView,
  {
    typed,
    problems,
    findings,
  }: { readonly typed: PublishTyped; readonly problems: Problems; readonly findings: Findings | undefined },
): Promise<VNode> {
  const sources = await managedSources(view);
  const source = {
    name: 'source',
    label: 'Source',
    hint: 'Managed source to publish to. Optional if you see only one.',
    problems,
  };
  return postForm(
    view,
    { path: PUBLISH, label: 'Publish', main: 'check', more: { 'data-check': view.at(CHECK) } },
    problemSummary(problems),
    selectField({ name: 'type', label: 'What it is', problems }, typed.type, choicesOf(ENTRY_TYPES)),
    textArea(
      {
        name: 'document',
        label: 'Document',
        hint: 'A server.json, or the document of a skill or plugin.',
        required: true,
        problems: withFaults(problems, findings),
      },
      typed.document,
      { rows: 18, class: 'mono', placeholder: EXAMPLE },
    ),
    h('div', { class: 'findings', 'aria-live': 'polite' }, findingsList(findings)),
    sources.length === 0
      ? textField(source, typed.source)
      : selectField(source, typed.source, [
          // A single source is preselected, because there is no choice.
          ...(sources.length === 1 ? [] : [NOT_CHOSEN]),
          ...choicesOf(sources),
        ]),
    claimsEditor(typed.claims, problems, await claimsHint(view, 'entry')),
    h('p', { class: 'hint' }, 'Check tells what would be wrong, and publishes nothing.'),
    actions(submitButton('Check', 'check', 'quiet'), submitButton('Publish', 'publish')),
  );
}

/** Adds a problem to the document field when the document has problems. */
function withFaults(problems: Problems, findings: Findings | undefined): Problems {
  const count = Array.isArray(findings)
    ? findings.filter(({ severity = 'error' }: Issue) => severity === 'error').length
    : 0;
  if (count === 0 || problems.has('document')) return problems;
  const text = count === 1 ? 'One thing is wrong with it:' : `${count} things are wrong with it:`;
  return new Map([...problems, ['document', [text]]]);
}

const EXAMPLE = `{
  "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
  "name": "com.acme/notes",
  "description": "Finds and writes notes of the team.",
  "version": "1.0.0",
  "remotes": [{ "type": "streamable-http", "url": "https://notes.acme.example/mcp" }]
}`;
