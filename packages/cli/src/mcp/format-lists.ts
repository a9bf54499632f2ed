import type { Prompt, Tool } from '@modelcontextprotocol/client';
import { isJsonObject } from '@portolan/plugin-api';
import type { ToolMember } from '@portolan/workload';
import { formatTable } from '../terminal/format/format-table.ts';
import { printable } from '../terminal/printable.ts';
import type { ListedResources } from './list-offers.ts';

const MAX_ARGUMENTS = 40;
const MAX_DESCRIPTION = 72;
const LEAST_DESCRIPTION = 10;
const GAP = 2;
const REST = ['arguments', 'description'];

/**
 * Formats tools as a table of at most `width` columns; optional arguments are in brackets. `members` are those
 * of a virtual server, by the name of the tool. No final line break.
 */
export function formatTools(
  tools: readonly Tool[],
  width?: number,
  members?: ReadonlyMap<string, ToolMember>,
): string {
  if (tools.length === 0) return 'no tools';
  const rows = tools.map(({ name, inputSchema, description = '' }) => ({
    name,
    takes: argumentsOf(inputSchema),
    description,
    ...(members === undefined ? {} : { member: members.get(name)?.member ?? '-' }),
  }));
  return formatOffers(rows, width);
}

export function formatPrompts(prompts: readonly Prompt[], width?: number): string {
  if (prompts.length === 0) return 'no prompts';
  const rows = prompts.map(({ name, arguments: taken = [], description = '' }) => ({
    name,
    takes: taken.map((one) => bracketed(one.name, one.required === true)).join(' '),
    description,
  }));
  return formatOffers(rows, width);
}

interface Offer {
  readonly name: string;
  /** Member of a virtual server; left out for other servers. */
  readonly member?: string;
  readonly takes: string;
  readonly description: string;
}

function formatOffers(offers: readonly Offer[], width = Number.POSITIVE_INFINITY): string {
  const maxTaken = Math.min(MAX_ARGUMENTS, Math.floor(width / 4));
  const hasMembers = offers.some(({ member }) => member !== undefined);
  const head = hasMembers ? ['name', 'member', ...REST] : ['name', ...REST];
  const rows = offers.map(({ name, member = '', takes }) => [
    printable(name),
    ...(hasMembers ? [printable(member)] : []),
    cut(takes, maxTaken),
  ]);
  const widths = head
    .slice(0, -1)
    .map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const room = width - widths.reduce((sum, column) => sum + column + GAP, 0);
  const most = Math.min(MAX_DESCRIPTION, Math.max(LEAST_DESCRIPTION, room));
  return formatTable(
    head,
    rows.map((row, index) => [...row, cut(firstLine(offers[index]?.description ?? ''), most)]),
  );
}

/** Formats resources, then resource templates. */
export function formatResources({ resources, resourceTemplates: templates }: ListedResources): string {
  if (resources.length + templates.length === 0) return 'no resources';
  return formatTable(
    ['uri', 'type', 'name'],
    [
      ...resources.map(({ uri, mimeType = '', name }) => [uri, mimeType, name]),
      ...templates.map(({ uriTemplate, mimeType = '', name }) => [uriTemplate, mimeType, name]),
    ].map((row) => row.map(printable)),
  );
}

function argumentsOf({ properties = {}, required = [] }: Tool['inputSchema']): string {
  if (!isJsonObject(properties)) return '';
  return Object.keys(properties)
    .map((name) => bracketed(name, required.includes(name)))
    .join(' ');
}

function bracketed(name: string, isRequired: boolean): string {
  return isRequired ? name : `[${name}]`;
}

function firstLine(text: string): string {
  return text.trim().split(/[\r\n]/, 1)[0] ?? '';
}

function cut(text: string, most: number): string {
  const shown = printable(text);
  return shown.length <= most ? shown : `${shown.slice(0, most - 1)}…`;
}
