import type { Prompt, Tool } from '@modelcontextprotocol/client';
import { isJsonObject } from '@portolan/plugin-api';
import { formatTable } from '../terminal/format/format-table.ts';
import { printable } from '../terminal/printable.ts';
import type { ListedResources } from './list-offers.ts';

const MAX_ARGUMENTS = 40;
const MAX_DESCRIPTION = 72;
const LEAST_DESCRIPTION = 10;
const GAP = 2;
const HEAD = ['name', 'arguments', 'description'];

/**
 * Formats tools as a table of at most `width` columns; optional arguments are in brackets. No final line
 * break.
 */
export function formatTools(tools: readonly Tool[], width?: number): string {
  if (tools.length === 0) return 'no tools';
  const rows = tools.map(({ name, inputSchema, description = '' }) => ({
    name,
    takes: argumentsOf(inputSchema),
    description,
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
  readonly takes: string;
  readonly description: string;
}

function formatOffers(offers: readonly Offer[], width = Number.POSITIVE_INFINITY): string {
  const maxTaken = Math.min(MAX_ARGUMENTS, Math.floor(width / 4));
  const rows = offers.map(({ name, takes, description }) => [
    printable(name),
    cut(takes, maxTaken),
    firstLine(description),
  ]);
  const widthOf = (column: number): number =>
    Math.max(HEAD[column]?.length ?? 0, ...rows.map((row) => row[column]?.length ?? 0));
  const room = width - widthOf(0) - widthOf(1) - 2 * GAP;
  const most = Math.min(MAX_DESCRIPTION, Math.max(LEAST_DESCRIPTION, room));
  return formatTable(
    HEAD,
    rows.map(([name = '', takes = '', description = '']) => [name, takes, cut(description, most)]),
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
