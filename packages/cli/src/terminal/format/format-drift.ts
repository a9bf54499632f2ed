import { findHiddenText } from '@portolan/entry-format';
import { isJsonObject, memberOf } from '@portolan/plugin-api';
import { valueAt } from '@portolan/lock';
import type { DetailedDifference, LockInspection } from '@portolan/workload/lock';
import { visibleText } from '../printable.ts';
import { markWords, type TextPart } from './mark-words.ts';

export interface DriftLook {
  /** Whether to mark words by colour. Otherwise they are marked as `[-removed-]` and `{+added+}`. */
  readonly hasColour: boolean;
}

/** Maximum length of a text that is shown whole. */
const MAX_SHOWN_LENGTH = 16_000;
/** Maximum length of unchanged text between two changes. */
const MAX_SAME_LENGTH = 240;
const SIGNS = { added: '+', removed: '-', changed: '~', unreadable: '!' } as const;
const [RED, GREEN, PLAIN] = ['\u001b[31;9m', '\u001b[32;4m', '\u001b[0m'];

/** Formats the differences of a workload from its lock, with warnings about hidden text. No final line break. */
export function formatDrift(inspection: LockInspection, look: DriftLook): string {
  const { name, previous, differences } = inspection;
  if (previous !== undefined && differences.length === 0) return `${name}: as locked`;
  const count = `${differences.length} ${differences.length === 1 ? 'difference' : 'differences'}`;
  const head = previous === undefined ? `${name}: not locked yet` : `${name}: ${count}`;
  return [head, ...differences.flatMap((one) => formatOne(one, look))].join('\n');
}

/** Returns the title of a difference: `tool search_code`. */
export function titleOf({ kind, name }: Pick<DetailedDifference, 'kind' | 'name'>): string {
  return name === '' ? kind : `${kind} ${onOneLine(name)}`;
}

function formatOne(difference: DetailedDifference, look: DriftLook): readonly string[] {
  const { change, class: own, fields, looksLike, fault, after } = difference;
  const notes = [
    ...(looksLike === undefined ? [] : [`its name looks like the approved name ${onOneLine(looksLike)}`]),
    ...(fault === undefined ? [] : [`it cannot be approved: ${visibleText(fault)}`]),
    ...findHiddenText(after).map(
      ({ pointer, description }) => `hidden text in ${placeOf(pointer)}: ${description}`,
    ),
  ];
  const body =
    change === 'changed'
      ? fields.flatMap(({ pointer }) => formatField(pointer, difference, look))
      : change === 'added'
        ? describeValue(after)
        : [];
  return [
    `  ${SIGNS[change]} ${titleOf(difference)} (${change}, ${own})`,
    ...body.map((line) => `      ${line}`),
    ...notes.map((line) => `      ! ${line}`),
  ];
}

/** Returns a name on one line, with its hidden characters visible. */
function onOneLine(name: string): string {
  return visibleText(name).replaceAll(/[\n\t]/g, ' ');
}

function placeOf(pointer: string): string {
  return pointer === '' ? 'it' : visibleText(pointer);
}

/** Describes a new item: what a model reads of it, and the rest as JSON. */
function describeValue(value: unknown): readonly string[] {
  if (!isJsonObject(value)) return linesOf(shorten(textOf(value)));
  const { name: _name, uriTemplate: _template, description, inputSchema, ...rest } = value;
  const properties = isJsonObject(inputSchema) ? memberOf(inputSchema, 'properties') : undefined;
  const parameters = isJsonObject(properties) ? Object.entries(properties) : [];
  return [
    ...(description === undefined ? [] : linesOf(shorten(textOf(description)))),
    ...parameters.flatMap(([name, schema]) => linesOf(`${onOneLine(name)}: ${shorten(textOf(schema))}`)),
    ...Object.entries(rest).flatMap(([name, member]) =>
      linesOf(`${onOneLine(name)}: ${shorten(textOf(member))}`),
    ),
  ];
}

function formatField(
  pointer: string,
  { before, after }: DetailedDifference,
  look: DriftLook,
): readonly string[] {
  const [old, now] = [valueAt(before, pointer), valueAt(after, pointer)];
  const place = pointer === '' ? '' : `${visibleText(pointer)}: `;
  if (before === undefined && after !== undefined)
    return linesOf(`${place}(unknown) -> ${shorten(textOf(now))}`);
  if (old === undefined) return linesOf(`${place}${mark({ kind: 'added', text: textOf(now) }, look)}`);
  if (now === undefined) return linesOf(`${place}${mark({ kind: 'removed', text: textOf(old) }, look)}`);
  const marked = markWords(textOf(old), textOf(now)).map((part) => mark(part, look));
  return linesOf(`${place}${marked.join('')}`);
}

function mark({ kind, text }: TextPart, { hasColour }: DriftLook): string {
  if (kind === 'same') return shortenMiddle(text);
  const shown = shorten(text);
  if (kind === 'removed') return hasColour ? `${RED}${shown}${PLAIN}` : `[-${shown}-]`;
  return hasColour ? `${GREEN}${shown}${PLAIN}` : `{+${shown}+}`;
}

/** Returns a value as text without characters that a terminal obeys. */
function textOf(value: unknown): string {
  return visibleText(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
}

function shorten(text: string): string {
  const left = text.length - MAX_SHOWN_LENGTH;
  return left <= 0 ? text : `${text.slice(0, MAX_SHOWN_LENGTH)}… (${left} more characters)`;
}

function shortenMiddle(text: string): string {
  if (text.length <= MAX_SAME_LENGTH) return text;
  const half = MAX_SAME_LENGTH / 2;
  return `${text.slice(0, half)} … ${text.slice(-half)}`;
}

function linesOf(text: string): readonly string[] {
  return text.split('\n');
}
