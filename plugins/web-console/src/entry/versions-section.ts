import { findHiddenText } from '@portolan/entry-format';
import { h, type VNode } from 'preact';
import type { Entry } from '../responses/entry.ts';
import { shortened } from '../responses/json-value.ts';
import type { ShownEntry } from './shown-entry.ts';
import { breakable, section, statusBadge } from '../layout/parts-of-pages.ts';
import { type Change, changesBetween } from './version-changes.ts';
import { day } from './day.ts';
import { definitionChanges, findDefinitionChanges } from './definitions/definition-changes.ts';
import { visibleText } from './definitions/visible-text.ts';

const SHOWN = 50;

/** Renders the versions, and the differences between the shown version and another. */
export async function versionsSection(shown: ShownEntry): Promise<VNode> {
  const { versions, entry, view, path } = shown;
  const address = view.at(path);
  const at = versions.indexOf(entry);
  const requested = view.request.query.get('from');
  const before =
    requested === null ? versions[at + 1] : versions.find(({ version }) => version === requested);
  return section(
    'versions',
    'Versions',
    h(
      'div',
      { class: 'scroll', tabindex: '0', role: 'group', 'aria-label': 'All versions' },
      h(
        'table',
        { class: 'stacked' },
        h(
          'thead',
          null,
          h(
            'tr',
            null,
            ['Version', 'Published', ''].map((text) =>
              h('th', { scope: 'col' }, text === '' ? h('span', { class: 'sr' }, 'Compare') : text),
            ),
          ),
        ),
        h(
          'tbody',
          null,
          versions.slice(0, SHOWN).map((one) => versionRow(address, one, entry)),
        ),
      ),
    ),
    versions.length > SHOWN ? h('p', { class: 'quiet' }, `And ${versions.length - SHOWN} older ones.`) : null,
    before === undefined || before === entry ? null : await changes(shown, before),
  );
}

function versionRow(address: string, one: Entry, shown: Entry): VNode {
  const query = new URLSearchParams({ version: one.version }).toString();
  const compare = new URLSearchParams({ version: shown.version, from: one.version }).toString();
  return h(
    'tr',
    null,
    h(
      'th',
      { scope: 'row' },
      one === shown ? h('strong', null, one.version) : h('a', { href: `${address}?${query}` }, one.version),
      ' ',
      statusBadge(one.status),
    ),
    h('td', { 'data-label': 'Published' }, one.publishedAt === undefined ? '' : day(one.publishedAt)),
    h(
      'td',
      null,
      one === shown
        ? h('span', { class: 'quiet' }, 'shown')
        : h(
            'a',
            { href: `${address}?${compare}#changes`, 'aria-label': `Compare with ${one.version}` },
            'Compare',
          ),
    ),
  );
}

async function changes(shown: ShownEntry, before: Entry): Promise<VNode> {
  const after = shown.entry;
  const definitions = await findDefinitionChanges(shown, before, after);
  const hasTools = definitions?.compared.includes('tools') === true;
  const matches = changesBetween(before, after, hasTools ? ['Tools'] : []);
  return h(
    'div',
    { id: 'changes', class: 'changes' },
    h('h3', null, 'From ', h('bdi', null, before.version), ' to ', h('bdi', null, after.version)),
    matches.length === 0 && definitions === undefined
      ? h('p', { class: 'quiet' }, 'Nothing shown here differs.')
      : matches.map(changeList),
    definitions === undefined ? null : definitionChanges(definitions),
  );
}

function changeList({ about, added, removed }: Change): VNode {
  const line = (text: string, tag: 'ins' | 'del', word: string): VNode =>
    h(
      'li',
      { class: tag },
      h('span', { class: 'sr' }, `${word}: `),
      h(
        tag,
        null,
        h(
          'bdi',
          { dir: 'auto' },
          findHiddenText(text).length > 0
            ? visibleText(shortened(text, 400))
            : breakable(shortened(text, 400)),
        ),
      ),
    );
  return h(
    'div',
    null,
    h('h4', null, about),
    h(
      'ul',
      null,
      removed.slice(0, 60).map((text) => line(text, 'del', 'no longer')),
      added.slice(0, 60).map((text) => line(text, 'ins', 'new')),
    ),
  );
}
