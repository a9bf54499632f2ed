import { type ComponentChildren, h } from 'preact';
import type { View } from '../../layout/view.ts';
import { badge } from '../../layout/parts-of-pages.ts';
import { facts, table } from '../parts/show.ts';
import { sourcePath } from '../sources/source-paths.ts';
import type { Decision, ExplainedKey, Explanation } from './explanation.ts';

/** Renders the report of `portolan claims explain` as a page. */
export function report(
  { mode, caller, roles, registry, entry, notes = [] }: Explanation,
  { at }: Pick<View, 'at'>,
): ComponentChildren {
  return h(
    'section',
    { class: 'report', 'aria-label': 'The answer' },
    h('h2', {}, 'The answer'),
    registry === undefined ? undefined : decision(`Registry ${registry.name}`, registry),
    entry === undefined
      ? undefined
      : [
          h('h3', {}, `Entry ${entry.name} (${entry.type}) `, verdict(entry.shown, 'shown', 'not shown')),
          h('p', {}, entry.sentence),
          entry.sources.map((source) =>
            decision(source.source === null ? 'The entry' : `In source ${source.source}`, source),
          ),
          skips(entry, at),
        ],
    notes.map((note) => h('p', { class: 'note', role: 'note' }, note)),
    h('h3', {}, 'Caller'),
    facts([
      ['Mode of the server', mode],
      ['Caller', caller === null ? 'anonymous' : caller.subject],
      ['Name', caller?.user],
      ['Provider', caller?.provider],
    ]),
    h('h3', {}, 'Roles'),
    rolesPart(roles),
    roles.flatMap(({ role, rules }) =>
      rules.map(({ rule, matches, keys }) => [
        h('p', {}, `Rule ${rule} of ${role} ${matches ? 'matches' : 'does not match'}.`),
        keyTable(`Claims of rule ${rule} of ${role}`, keys),
      ]),
    ),
  );
}

/** Renders the reasons why sources left out the entry, with links to the reports of the sources. */
export function skips(
  { shown, skipped = [] }: NonNullable<Explanation['entry']>,
  at: View['at'],
): ComponentChildren {
  return skipped.map(({ source, because, skipped: label }) =>
    h(
      'p',
      {},
      'Source ',
      h('a', { href: at(sourcePath(source)) }, source),
      ` left ${shown ? 'a version' : 'it'} out: ${because} (${label})`,
    ),
  );
}

/** Renders the roles. A reason that all roles share appears once. */
function rolesPart(roles: Explanation['roles']): ComponentChildren {
  const [first, ...others] = roles;
  if (first !== undefined && others.every(({ sentence }) => sentence === first.sentence))
    return h('p', {}, first.sentence);
  return table(
    'Roles',
    ['Role', 'Held', 'Because'],
    roles.map(({ role, held, sentence }) => [role, verdict(held, 'yes', 'no'), sentence]),
  );
}

function decision(title: string, { allowed, sentence, keys }: Decision): ComponentChildren {
  return [
    h('h3', {}, `${title} `, verdict(allowed, 'open', 'closed')),
    h('p', {}, sentence),
    keyTable(`Claims: ${title}`, keys),
  ];
}

function verdict(isSo: boolean, yes: string, no: string): ComponentChildren {
  return isSo ? badge(yes, 'good') : badge(no, 'bad');
}

function keyTable(caption: string, keys: readonly ExplainedKey[]): ComponentChildren {
  if (keys.length === 0) return undefined;
  const rows = keys.map(({ key, required, held, matches }) => [
    h('code', {}, key),
    required === null ? 'withheld' : listed(required, 'any value'),
    held === null ? 'absent' : listed(held, 'no text'),
    verdict(matches, 'matches', 'does not match'),
  ]);
  return table(caption, ['Claim', 'Required', 'Held', 'Result'], rows);
}

const MAX_VALUES = 12;

function listed(values: readonly string[], whenEmpty: string): string {
  if (values.length === 0) return whenEmpty;
  const more = values.length - MAX_VALUES;
  return `${values.slice(0, MAX_VALUES).join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
}
