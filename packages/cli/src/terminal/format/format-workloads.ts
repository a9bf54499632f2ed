import { styleText } from 'node:util';
import type { WorkloadListing } from '@portolan/workload';
import { formatAge } from './format-age.ts';
import { formatTable } from './format-table.ts';
import { printable } from '../printable.ts';

export interface ListLayout {
  readonly now: Date;
  /** Width of the terminal in columns; undefined without a terminal: then nothing is shortened. */
  readonly width: number | undefined;
  readonly isWide: boolean;
  readonly hasColour: boolean;
}

type Colour = 'green' | 'yellow' | 'red' | 'gray';

const COLOURS: Readonly<Record<WorkloadListing['status'], Colour>> = {
  starting: 'yellow',
  running: 'green',
  idle: 'green',
  stopping: 'yellow',
  stopped: 'gray',
  removing: 'yellow',
  error: 'red',
  unhealthy: 'red',
  unknown: 'yellow',
  unauthenticated: 'red',
  auth_retrying: 'yellow',
  waiting: 'yellow',
  policy_stopped: 'red',
};

const WIDE = ['name', 'package', 'status', 'url', 'port', 'group', 'created'];
const NARROW = ['name', 'status', 'url', 'created', 'package'];
const GAP = 2;
/** Minimum width of a name, so that shortened names stay distinct. */
const LEAST_NAME = 12;
const LEAST_PACKAGE = 8;

/**
 * Formats workloads as a table. On a terminal, shortens or omits the last column, then shortens names; `-o
 * wide` shortens nothing.
 */
export function formatWorkloads(workloads: readonly WorkloadListing[], layout: ListLayout): string {
  const table = layout.isWide ? formatTable(WIDE, workloads.map(wideRow)) : narrowTable(workloads, layout);
  return layout.hasColour ? coloured(table, workloads) : table;
}

function wideRow(workload: WorkloadListing): readonly string[] {
  const { name, status, url, port, group } = workload;
  return [name, sourceOf(workload), status, url, port === 0 ? '' : String(port), group, workload.created_at];
}

/** Returns what a workload runs; for a virtual server, the number of its members. */
function sourceOf({ package: what, member_count: members }: WorkloadListing): string {
  if (members === undefined) return what;
  return `virtual server, ${members} ${members === 1 ? 'member' : 'members'}`;
}

function narrowTable(workloads: readonly WorkloadListing[], { now, width }: ListLayout): string {
  const rows = workloads.map((workload) => [
    workload.name,
    workload.status,
    workload.url,
    formatAge(workload.created_at, now),
    printable(sourceOf(workload)),
  ]);
  if (width === undefined) return formatTable(NARROW, rows);
  const widths = NARROW.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const [name = 0, status = 0, url = 0, created = 0] = widths;
  const left = width - (name + status + url + created + 4 * GAP);
  if (left >= LEAST_PACKAGE) {
    return formatTable(
      NARROW,
      rows.map((row) => [...row.slice(0, 4), endOf(row[4] ?? '', left)]),
    );
  }
  const names = Math.max(LEAST_NAME, width - (status + url + created + 3 * GAP));
  return formatTable(
    NARROW.slice(0, 4),
    rows.map((row) => [beginningOf(row[0] ?? '', names), ...row.slice(1, 4)]),
  );
}

/**
 * Shortens a package at its beginning, because the end distinguishes packages. A digest keeps its first
 * digits.
 */
function endOf(text: string, width: number): string {
  const short = text.replace(/@sha256:([0-9a-f]{8})[0-9a-f]+$/, '@$1');
  return short.length <= width ? short : `…${short.slice(1 - width)}`;
}

function beginningOf(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
}

/** Adds colour to the state column only, which it finds below the column's title. */
function coloured(table: string, workloads: readonly WorkloadListing[]): string {
  const [head = '', ...lines] = table.split('\n');
  const at = head.indexOf(' STATUS') + 1;
  return [
    head,
    ...lines.map((line, index) => {
      const status = workloads[index]?.status ?? 'unknown';
      const word = styleText(COLOURS[status], status, { validateStream: false });
      return line.slice(0, at) + word + line.slice(at + status.length);
    }),
  ].join('\n');
}
