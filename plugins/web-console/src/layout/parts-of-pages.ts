import { type ComponentChildren, h, type VNode } from 'preact';

/** A small word in a frame; `tone` says how it is meant. */
export function badge(text: string, tone: 'plain' | 'good' | 'warn' | 'bad' | 'accent' = 'plain'): VNode {
  return h('span', { class: `badge ${tone}` }, text);
}

/** The status of an entry; nothing for what is in order. */
export function statusBadge(status: string): VNode | undefined {
  if (status === 'active') return undefined;
  return badge(status, status === 'deleted' ? 'bad' : 'warn');
}

/** Text from a catalogue: it may run from right to left. */
export function foreign(tag: string, text: string, attributes: Readonly<Record<string, string>> = {}): VNode {
  return h(tag, { dir: 'auto', ...attributes }, text);
}

/** A text that can be taken along: the script puts a button to copy it beside it. */
export function code(text: string, label: string): VNode {
  return taken(text, label);
}

/** Commands, or an address, that can be taken along; where one is longer than its line, the rest of it is indented. */
export function commands(lines: readonly string[], label: string): VNode {
  return taken(
    lines.map((line, at) => h('span', { class: 'line' }, wordsOf(line), at < lines.length - 1 ? '\n' : null)),
    label,
  );
}

/** A line breaks between words, never in an option or a name; an option stays with its value where there is room for both. */
function wordsOf(line: string): readonly ComponentChildren[] {
  return line.split(/(?<!--[\w-]+) | (?=--)/).map((words, at) => {
    const [first = '', ...others] = words.split(' ').map(piecesOf);
    const pair = others.length === 0 ? first : h('span', { class: 'pair' }, first, ' ', others);
    return [at === 0 ? null : ' ', pair];
  });
}

/** An address breaks after its slashes, and a name before its value. */
function piecesOf(word: string): ComponentChildren {
  const breaks = /^https?:/.test(word) ? /(?<=[^:/][/.])(?![/.])/ : /(?<=[,=]|[^:/]\/)(?![,=/])/;
  return word.split(breaks).map((piece) => h('span', { class: 'word' }, piece));
}

/** A path or a name in which a line may break after a slash or a dot. */
export function breakable(text: string): ComponentChildren {
  return text.split(/(?<=[/.])(?![/.])/).map((piece, at) => [at === 0 ? null : h('wbr', null), piece]);
}

function taken(text: ComponentChildren, label: string): VNode {
  return h(
    'div',
    { class: 'code' },
    h('pre', { tabindex: '0', role: 'group', 'aria-label': label }, h('code', { dir: 'ltr' }, text)),
  );
}

/** A part of a page with a heading, which can be linked to. */
export function section(id: string, title: string, ...body: ComponentChildren[]): VNode {
  return h('section', { id, 'aria-labelledby': `${id}-title` }, h('h2', { id: `${id}-title` }, title), body);
}

/** Something that is not there, said in a friendly way. */
export function nothing(title: string, ...body: ComponentChildren[]): VNode {
  return h('div', { class: 'nothing' }, h('p', { class: 'lead' }, title), body);
}

/** A tile with the first letters of a title: icons of entries lie on other hosts, and pages ask no other host for anything. */
export function tile(title: string): VNode {
  const letters = [...title.matchAll(/[\p{L}\p{N}]+/gu)]
    .slice(0, 2)
    .map(([word]) => String.fromCodePoint(word.codePointAt(0) ?? 0).toUpperCase())
    .join('');
  let sum = 0;
  for (const letter of title) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 8;
  return h('span', { class: `tile t${sum}`, 'aria-hidden': 'true' }, letters === '' ? '·' : letters);
}

/** An address in a link, if it is one that a page may lead to; else as text. */
export function outside(address: string, text = address): VNode {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return foreign('span', text);
  return h('a', { href: address, rel: 'nofollow noopener noreferrer', dir: 'auto' }, text);
}
