import { h, type VNode } from 'preact';
import { type JsonMap, listOf, mapOf, shortened, textOf } from '../responses/json-value.ts';
import type { ShownEntry } from './shown-entry.ts';
import { badge, breakable, foreign, outside, section } from '../layout/parts-of-pages.ts';
import { type Input, inputsOf, PLACE_WORDS } from './inputs.ts';

const SHOWN = 30;

export function packagesSection({ entry }: ShownEntry): VNode | null {
  const packages = listOf(entry.document['packages']).map(mapOf).slice(0, SHOWN);
  const remotes = listOf(entry.document['remotes']).map(mapOf).slice(0, SHOWN);
  if (packages.length + remotes.length === 0) return null;
  const title =
    packages.length === 0 ? 'Where it runs' : remotes.length === 0 ? 'Packages' : 'Packages and remotes';
  return section(
    'packages',
    title,
    h('div', { class: 'packages' }, remotes.map(remoteCard), packages.map(packageCard)),
  );
}

function remoteCard(remote: JsonMap): VNode {
  return h(
    'div',
    { class: 'card' },
    h('h3', null, 'Remote ', badge(textOf(remote['type']) ?? 'unknown')),
    h('p', null, h('code', { dir: 'ltr' }, breakable(shortened(textOf(remote['url']) ?? '', 500)))),
    inputTable(inputsOf(remote)),
  );
}

function packageCard(input: JsonMap): VNode {
  const {
    registryType,
    identifier,
    version,
    transport,
    url,
    ref,
    commit,
    subfolder,
    digest,
    fileSha256,
    runtimeHint,
  } = input;
  const facts: readonly (readonly [string, unknown])[] = [
    ['Version', version],
    ['Transport', mapOf(transport)['type']],
    ['Listens at', mapOf(transport)['url']],
    ['Started by', runtimeHint],
    ['Reference', ref],
    ['Commit', commit],
    ['Folder', subfolder],
    ['Digest', digest],
    ['SHA-256', fileSha256],
    ['Index', input['registryBaseUrl']],
  ];
  return h(
    'div',
    { class: 'card' },
    h(
      'h3',
      null,
      badge(textOf(registryType) ?? 'package', 'accent'),
      ' ',
      h('code', { dir: 'ltr' }, breakable(shortened(textOf(identifier) ?? '', 500))),
    ),
    textOf(url) === undefined ? null : h('p', null, outside(textOf(url) ?? '')),
    h(
      'dl',
      { class: 'facts' },
      facts.map(([term, value]) =>
        textOf(value) === undefined
          ? null
          : h(
              'div',
              null,
              h('dt', null, term),
              h('dd', null, h('code', { dir: 'ltr' }, shortened(textOf(value) ?? '', 300))),
            ),
      ),
    ),
    inputTable(inputsOf(input)),
  );
}

function inputTable(inputs: readonly Input[]): VNode {
  if (inputs.length === 0) return h('p', { class: 'quiet' }, 'Nothing has to be provided.');
  const sorted = inputs
    .toSorted((left, right) => Number(right.isRequired) - Number(left.isRequired))
    .slice(0, 100);
  return h(
    'div',
    { class: 'scroll', tabindex: '0', role: 'group', 'aria-label': 'To provide' },
    h(
      'table',
      { class: 'stacked' },
      h('caption', null, 'To provide'),
      h(
        'thead',
        null,
        h(
          'tr',
          null,
          ['Name', 'Kind', 'What it is'].map((text) => h('th', { scope: 'col' }, text)),
        ),
      ),
      h('tbody', null, sorted.map(inputRow)),
    ),
  );
}

function inputRow({
  name,
  place,
  description,
  isRequired,
  isSecret,
  format,
  fallback,
  placeholder,
  choices,
}: Input): VNode {
  const more = [
    format === undefined || format === 'string' ? undefined : `a ${format}`,
    choices.length === 0 ? undefined : `one of ${choices.slice(0, 20).join(', ')}`,
    fallback === undefined ? undefined : `left out: ${fallback}`,
    placeholder === undefined ? undefined : `such as ${placeholder}`,
  ].filter((text) => text !== undefined);
  return h(
    'tr',
    null,
    h(
      'th',
      { scope: 'row' },
      h('code', { dir: 'ltr' }, shortened(name, 200)),
      ' ',
      isRequired ? badge('required', 'warn') : null,
      isSecret ? badge('secret', 'accent') : null,
    ),
    h('td', { 'data-label': 'Kind' }, PLACE_WORDS[place]),
    h(
      'td',
      { 'data-label': 'What it is' },
      description === undefined ? null : foreign('span', shortened(description, 600)),
      more.length === 0 ? null : foreign('span', shortened(` (${more.join('; ')})`, 600), { class: 'quiet' }),
    ),
  );
}
