import { codePointOf, namesInPointer, readPublishedDefinitions } from '@portolan/entry-format';
import { type ComponentChildren, h, type VNode } from 'preact';
import type { Entry } from '../../responses/entry.ts';
import { type JsonMap, listOf, mapOf, shortened, textOf } from '../../responses/json-value.ts';
import { badge } from '../../layout/parts-of-pages.ts';
import { excerpts } from './excerpts.ts';
import type { ShownEntry } from '../shown-entry.ts';
import { visibleText } from './visible-text.ts';

const SHOWN_DIFFERENCES = 100;
const SHOWN_FIELDS = 20;
const SHOWN_NAME = 300;
const SHOWN_CODE_POINTS = 10;

/** Differences that the API computes, and the versions that they are between. */
export interface DefinitionChanges {
  readonly before: Entry;
  readonly after: Entry;
  /** Parts that both versions publish. */
  readonly compared: readonly string[];
  readonly differences: readonly JsonMap[];
  readonly more: number;
}

const CLASS_BADGES: Readonly<Record<string, VNode>> = {
  note: badge('note'),
  held: badge('held', 'warn'),
  refused: badge('refused', 'bad'),
};

const CHANGE_WORDS: Readonly<Record<string, string>> = {
  added: 'is new',
  removed: 'is removed',
  changed: 'has changed',
  unreadable: 'is unreadable',
};

/**
 * Reads the differences between the definitions of two versions from the API. Undefined if one of them
 * publishes no definitions, or the API refuses the request.
 */
export async function findDefinitionChanges(
  { view, apiPath }: ShownEntry,
  before: Entry,
  after: Entry,
): Promise<DefinitionChanges | undefined> {
  if (after.type !== 'server') return undefined;
  if ([before, after].some(({ document }) => readPublishedDefinitions(document) === undefined))
    return undefined;
  const version = encodeURIComponent(after.version);
  const versions = apiPath.replace('/v0.1/', '/v0.1/x/dev.portolan/');
  const query = new URLSearchParams({ from: before.version });
  const { status, json } = await view.api({ path: `${versions}/${version}/changes`, query });
  if (status !== 200) return undefined;
  const { compared, differences, more } = mapOf(json);
  return {
    before,
    after,
    compared: listOf(compared).map(String),
    differences: listOf(differences).map(mapOf),
    more: typeof more === 'number' ? more : 0,
  };
}

/** Renders the differences, each with its class. */
export function definitionChanges(changes: DefinitionChanges): VNode | null {
  const shown = changes.differences.filter((one) => one['class'] !== 'none');
  const more = changes.more + shown.length - Math.min(shown.length, SHOWN_DIFFERENCES);
  if (shown.length === 0) return h('p', { class: 'quiet' }, 'The definitions mean the same.');
  return h(
    'div',
    null,
    h('h4', null, 'Definitions'),
    h(
      'p',
      { class: 'quiet' },
      badge('held', 'warn'),
      ' means: drift protection hides the change until a user approves it.',
    ),
    h(
      'ul',
      { class: 'differences' },
      shown.slice(0, SHOWN_DIFFERENCES).map((one) => differenceItem(one, changes)),
    ),
    more > 0 ? h('p', { class: 'quiet' }, `and ${more.toLocaleString('en')} more`) : null,
  );
}

function differenceItem(difference: JsonMap, changes: DefinitionChanges): VNode {
  const [kind, name, change] = ['kind', 'name', 'change'].map((key) => textOf(difference[key]) ?? '');
  const [looksLike, fault] = [textOf(difference['looksLike']), textOf(difference['fault'])];
  return h(
    'li',
    null,
    h(
      'p',
      null,
      CLASS_BADGES[String(difference['class'])],
      ' ',
      kind,
      name === '' ? null : [' ', h('code', { dir: 'ltr' }, visibleText(shortened(name ?? '', SHOWN_NAME)))],
      ` ${CHANGE_WORDS[change ?? ''] ?? change}`,
      looksLike === undefined
        ? null
        : [
            '; it looks like ',
            h('code', { dir: 'ltr' }, visibleText(shortened(looksLike, SHOWN_NAME))),
            `, which is another one${describeForeign(name ?? '')}`,
          ],
      fault === undefined ? null : `: ${fault}`,
    ),
    fieldList(difference, changes),
  );
}

/** Returns the code points of a name outside of ASCII, because a reader cannot tell them from similar letters. */
function describeForeign(name: string): string {
  const foreign = [...new Set(name.match(/[^ -~]/gu) ?? [])].slice(0, SHOWN_CODE_POINTS);
  return foreign.length === 0 ? '' : `; it has ${foreign.map(codePointOf).join(', ')}`;
}

function fieldList(difference: JsonMap, { before, after }: DefinitionChanges): VNode | null {
  const fields = listOf(difference['fields'])
    .map(mapOf)
    .filter((field) => field['class'] !== 'none');
  if (fields.length === 0) return null;
  const more = fields.length - SHOWN_FIELDS;
  const of = (entry: Entry): unknown => definitionIn(entry, difference);
  const [old, now] = [of(before), of(after)];
  return h(
    'ul',
    null,
    fields.slice(0, SHOWN_FIELDS).map((field) => fieldItem(String(field['pointer']), old, now)),
    more > 0 ? h('li', null, `and ${more} more fields`) : null,
  );
}

function fieldItem(pointer: string, before: unknown, after: unknown): VNode {
  const [old, now] = excerpts(valueAt(before, pointer), valueAt(after, pointer));
  const text = (tag: 'ins' | 'del', word: string, value: string | undefined): ComponentChildren =>
    value === undefined
      ? null
      : [
          ' ',
          h('span', { class: 'sr' }, `${word}: `),
          h(tag, null, h('bdi', { dir: 'auto' }, visibleText(value))),
        ];
  return h(
    'li',
    { class: 'field' },
    h('code', { dir: 'ltr' }, visibleText(shortened(pointer === '' ? '/' : pointer, SHOWN_NAME))),
    text('del', 'no longer', old),
    text('ins', 'new', now),
  );
}

/** Returns the definition that a difference is about. */
function definitionIn(entry: Entry, difference: JsonMap): unknown {
  const published = readPublishedDefinitions(entry.document);
  const { kind, name } = difference;
  if (kind === 'server') return published?.server;
  if (kind === 'instructions' || kind === 'capabilities') return published?.server?.[kind];
  const lists: Readonly<Record<string, readonly unknown[] | undefined>> = {
    tool: published?.tools,
    prompt: published?.prompts,
    template: published?.templates,
  };
  const id = kind === 'template' ? 'uriTemplate' : 'name';
  return lists[String(kind)]?.find((item) => mapOf(item)[id] === name);
}

function valueAt(value: unknown, pointer: string): unknown {
  let at = value;
  for (const name of namesInPointer(pointer)) {
    at = Array.isArray(at) ? at[Number(name)] : Object.hasOwn(mapOf(at), name) ? mapOf(at)[name] : undefined;
  }
  return at;
}
