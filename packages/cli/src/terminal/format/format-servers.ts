import type { ListedServer } from '@portolan/registry-client';
import { formatTable } from './format-table.ts';
import { printable } from '../printable.ts';

const MAX_DESCRIPTION_LENGTH = 60;

/**
 * Formats servers of a registry as a table: name, type, description, and those requested columns for which
 * any server has a value.
 */
export function formatServers(
  servers: readonly ListedServer[],
  wanted: readonly ('transport' | 'tier' | 'stars')[],
): string {
  if (servers.length === 0) return 'No servers found';
  const columns = wanted.filter((column) => servers.some((server) => server[column] !== undefined));
  const rows = servers.map((server) => [
    server.name,
    server.type,
    shorten(server.description),
    ...columns.map((column) => String(server[column] ?? '')),
  ]);
  const head = ['name', 'type', 'description', ...columns];
  return formatTable(
    head,
    rows.map((row) => row.map(printable)),
  );
}

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length <= MAX_DESCRIPTION_LENGTH
    ? line
    : `${line.slice(0, MAX_DESCRIPTION_LENGTH - 1).toWellFormed()}…`;
}
