import type { ShownEntry } from '../entry/shown-entry.ts';
import type { ApiResponse, PageResponse, PageRoute } from '@portolan/plugin-api';
import { type ComponentChildren, h, type VNode } from 'preact';
import type { Explanation } from '../admin/explain/explanation.ts';
import { skips } from '../admin/explain/report.ts';
import { allowedRoles } from '../admin/parts/allowed-roles.ts';
import { nameOfSegments, registryPage, versionsPath } from '../responses/entry-addresses.ts';
import { entryOf, type EntryType, TYPE_WORDS, typeOfPath } from '../responses/entry.ts';
import { listOf, mapOf, shortened, textOf } from '../responses/json-value.ts';
import { originSection } from '../entry/origin-section.ts';
import { overviewSection } from '../entry/overview-section.ts';
import { packagesSection } from '../entry/packages-section.ts';
import { demandsSection } from '../entry/demands-section.ts';
import { permissionsSection } from '../entry/permissions-section.ts';
import { definitionSections } from '../entry/definitions/definitions-section.ts';
import { hiddenTextNote } from '../entry/definitions/hidden-text-note.ts';
import { toolsSection } from '../entry/tools-section.ts';
import { visibleText } from '../entry/definitions/visible-text.ts';
import { usageSection } from '../entry/usage-section.ts';
import { versionsSection } from '../entry/versions-section.ts';
import type { ConsoleParts, PageContent, View } from '../layout/view.ts';
import { page } from '../layout/page.ts';
import { badge, section, statusBadge, tile } from '../layout/parts-of-pages.ts';
import { refusedPage } from '../layout/refused-page.ts';

const SHOWN_DESCRIPTION = 2000;
const SHOWN_JSON = 100_000;
const SHOWN_JSON_MARKS = 2000;

export function entryPage(parts: ConsoleParts): PageRoute {
  const route = {
    path: '/browse/{registry}/{kind}/{namespace}/{name}',
    name: 'entryPage',
    summary: 'One entry of a registry, and how to use it.',
  };
  return page(parts, route, async (view) => {
    const entry = await findEntry(view);
    if (!('refused' in entry)) return await contentOf(entry);
    const { refused, name } = entry;
    // Sources also leave out entries with invalid names, for which the API returns 400.
    const notes = [400, 404].includes(refused.status) ? await findSkips(view, name) : null;
    return refusedPage(view, refused, `“${name}”`, notes);
  });
}

/** Returns why sources left out an entry. The API decides which reasons the visitor may see. */
async function findSkips(view: View, name: string): Promise<ComponentChildren> {
  const { registry, kind } = view.request.parameters;
  const type = typeOfPath(kind);
  if (type === undefined || !(await allowedRoles(view)).includes('manageSources')) return null;
  const body = { registry, entry: { type, name } };
  const { status, json } = await view.api({ method: 'POST', path: '/v1/authz/explain', body });
  // SAFETY: the API description guarantees this type.
  const { entry } = (status === 200 ? json : {}) as Partial<Explanation>;
  return entry === undefined ? null : skips(entry, view.at);
}

type MissingEntry = { readonly refused: ApiResponse; readonly name: string };

async function findEntry(view: View): Promise<ShownEntry | MissingEntry> {
  const { parameters, query, path } = view.request;
  const { registry = '', kind, namespace, name: last } = parameters;
  const type = typeOfPath(kind);
  const name = nameOfSegments(namespace, last);
  if (type === undefined) return { refused: { status: 404, headers: {}, json: {} }, name };
  const apiPath = versionsPath(registry, type, name);
  const response = await view.api({ path: apiPath });
  if (response.status !== 200) return { refused: response, name };
  const versions = listOf(mapOf(response.json)[TYPE_WORDS[type].path]).map((item) => entryOf(type, item));
  const requested = query.get('version');
  const entry =
    requested === null
      ? (versions.find(({ official }) => official['isLatest'] === true) ?? versions[0])
      : versions.find(({ version }) => version === requested);
  if (entry === undefined) return { refused: { status: 404, headers: {}, json: {} }, name };
  return { view, registry, entry, versions, path, apiPath };
}

async function contentOf(shown: ShownEntry): Promise<PageContent | PageResponse> {
  const { entry, registry, view } = shown;
  const aside = [await usageSection(shown), await originSection(shown)];
  const overview = await overviewSection(shown);
  await view.request.turn();
  const facts = [
    toolsSection(shown),
    definitionSections(shown),
    packagesSection(shown),
    permissionsSection(shown),
    await demandsSection(shown),
  ];
  await view.request.turn();
  const versions = await versionsSection(shown);
  return {
    title: shortened(entry.title, 120),
    trail: [
      { path: '/', text: 'Registries' },
      { path: registryPage(registry), text: registry },
    ],
    body: h(
      'div',
      { class: 'inner entry-page' },
      head(shown),
      h(
        'div',
        { class: 'entry-layout' },
        h('div', { class: 'aside' }, aside),
        h('div', { class: 'main' }, overview, facts, versions, jsonSection(shown)),
      ),
    ),
  };
}

function head({ entry, registry, view }: ShownEntry): VNode {
  const { title, name, version, status, statusMessage, description, tags, tier, type, document } = entry;
  const list = view.at(registryPage(registry));
  return h(
    'div',
    { class: 'entry-head' },
    tile(title),
    h(
      'div',
      { class: 'about' },
      h('h1', { dir: 'auto' }, visibleText(shortened(title, 120))),
      h(
        'p',
        { class: 'name' },
        h('bdi', null, name),
        ' ',
        h('span', { class: 'version' }, version),
        ' ',
        badge(TYPE_WORDS[type].one),
        tier === 'Official' ? badge('Official', 'accent') : null,
        statusBadge(status),
      ),
      statusMessage === undefined
        ? null
        : h('p', { class: 'note warn', role: 'note', dir: 'auto' }, statusMessage),
      h('p', { dir: 'auto', class: 'lead' }, visibleText(shortened(description, SHOWN_DESCRIPTION))),
      hiddenTextNote(document),
      tags.length === 0
        ? null
        : h(
            'p',
            { class: 'badges' },
            tags.slice(0, 20).map((tag) => tagLink(list, type, tag)),
          ),
    ),
  );
}

function tagLink(list: string, type: EntryType, tag: string): VNode {
  const query = new URLSearchParams({ ...(type === 'server' ? {} : { kind: TYPE_WORDS[type].path }), tag });
  return h('a', { class: 'tag', href: `${list}?${query.toString()}`, dir: 'auto' }, shortened(tag, 60));
}

function jsonSection({ entry, view, apiPath }: ShownEntry): VNode {
  const text = JSON.stringify(entry.document, undefined, 2);
  const address = view.at(`${apiPath}/${encodeURIComponent(textOf(entry.version) ?? 'latest')}`);
  return section(
    'json',
    'JSON',
    h('p', null, h('a', { href: address }, 'Response of the API')),
    h(
      'details',
      null,
      h('summary', null, 'The published document'),
      h(
        'pre',
        { class: 'json', tabindex: '0', role: 'group', 'aria-label': 'The published document' },
        h('code', { dir: 'ltr' }, visibleText(shortened(text, SHOWN_JSON), SHOWN_JSON_MARKS)),
      ),
    ),
  );
}
