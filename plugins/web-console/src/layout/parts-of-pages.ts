import { type ComponentChildren, h, type VNode } from 'preact';

/** Renders a badge; `tone` selects its colour. */
export function badge(text: string, tone: 'plain' | 'good' | 'warn' | 'bad' | 'accent' = 'plain'): VNode {
  return h('span', { class: `badge ${tone}` }, text);
}

/** Renders the status of an entry; nothing if it is active. */
export function statusBadge(status: string): VNode | undefined {
  if (status === 'active') return undefined;
  return badge(status, status === 'deleted' ? 'bad' : 'warn');
}

/** Renders text from a catalogue, which may be right-to-left. */
export function foreign(tag: string, text: string, attributes: Readonly<Record<string, string>> = {}): VNode {
  return h(tag, { dir: 'auto', ...attributes }, text);
}

/** Renders a code block, to which the script adds a copy button. */
export function code(text: string, label: string): VNode {
  return taken(text, label);
}

/** Renders commands or an address as a code block; wrapped lines are indented. */
export function commands(lines: readonly string[], label: string): VNode {
  return taken(
    lines.map((line, at) => h('span', { class: 'line' }, wordsOf(line), at < lines.length - 1 ? '\n' : null)),
    label,
  );
}

/**
 * Splits a line so that it breaks between words, never inside an option. An option stays with its value if
 * both fit.
 */
function wordsOf(line: string): readonly ComponentChildren[] {
  return line.split(/(?<!--[\w-]+) | (?=--)/).map((words, at) => {
    const [first = '', ...others] = words.split(' ').map(piecesOf);
    const pair = others.length === 0 ? first : h('span', { class: 'pair' }, first, ' ', others);
    return [at === 0 ? null : ' ', pair];
  });
}

/** Splits a word so that an address breaks after slashes, and a name before its value. */
function piecesOf(word: string): ComponentChildren {
  const breaks = /^https?:/.test(word) ? /(?<=[^:/][/.])(?![/.])/ : /(?<=[,=]|[^:/]\/)(?![,=/])/;
  return word.split(breaks).map((piece) => h('span', { class: 'word' }, piece));
}

/** Renders a path or a name that may break after a slash or a dot. */
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

export function section(id: string, title: string, ...body: ComponentChildren[]): VNode {
  return h('section', { id, 'aria-labelledby': `${id}-title` }, h('h2', { id: `${id}-title` }, title), body);
}

export function nothing(title: string, ...body: ComponentChildren[]): VNode {
  return h('div', { class: 'nothing' }, h('p', { class: 'lead' }, title), body);
}

/** Renders the first letters of a title as an icon, because pages load no images from other hosts. */
export function tile(title: string): VNode {
  const letters = [...title.matchAll(/[\p{L}\p{N}]+/gu)]
    .slice(0, 2)
    .map(([word]) => String.fromCodePoint(word.codePointAt(0) ?? 0).toUpperCase())
    .join('');
  let sum = 0;
  for (const letter of title) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 8;
  return h('span', { class: `tile t${sum}`, 'aria-hidden': 'true' }, letters === '' ? '·' : letters);
}

/** Renders an address as a link if its scheme is allowed, else as text. */
export function outside(address: string, text = address): VNode {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return foreign('span', text);
  return h('a', { href: address, rel: 'nofollow noopener noreferrer', dir: 'auto' }, text);
}
