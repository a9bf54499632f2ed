import type { Prompt, Tool } from '@modelcontextprotocol/client';
import { isJsonObject } from '@portolan/plugin-api';
import { formatTable } from '../terminal/format-table.ts';
import { printable } from '../terminal/printable.ts';
import type { ListedResources } from './list-offers.ts';

const MOST_ARGUMENTS = 40;
const MOST_DESCRIPTION = 72;

/** Tools for people; arguments that may be left out stand in brackets. No line break at the end. */
export function formatTools(tools: readonly Tool[]): string {
  if (tools.length === 0) return 'no tools';
  return formatTable(
    ['name', 'arguments', 'description'],
    tools.map(({ name, inputSchema, description = '' }) => [
      printable(name),
      cut(argumentsOf(inputSchema), MOST_ARGUMENTS),
      cut(firstLine(description), MOST_DESCRIPTION),
    ]),
  );
}

export function formatPrompts(prompts: readonly Prompt[]): string {
  if (prompts.length === 0) return 'no prompts';
  return formatTable(
    ['name', 'arguments', 'description'],
    prompts.map(({ name, arguments: taken = [], description = '' }) => [
      printable(name),
      cut(taken.map((one) => bracketed(one.name, one.required === true)).join(' '), MOST_ARGUMENTS),
      cut(firstLine(description), MOST_DESCRIPTION),
    ]),
  );
}

/** Resources, and behind them the templates of such as are made when they are asked for. */
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
