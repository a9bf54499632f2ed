import type { EntryDemands } from '@portolan/run-spec';
import { formatDemands } from './format-grants.ts';
import { printable } from '../printable.ts';

/** What there is for one workload, and what became of it; the names are those of its JSON. */
export interface UpdateReport {
  readonly name: string;
  readonly of: 'entry' | 'package' | 'image' | 'nothing';
  readonly available: boolean;
  readonly current: string;
  readonly newest: string;
  readonly permissions: readonly string[];
  /** What the update asks for. */
  readonly grants: EntryDemands['grants'];
  /** Settings with which the update is refused. */
  readonly refusals: EntryDemands['refusals'];
  /** Null while that is not known. */
  readonly tools: {
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly changed: readonly string[];
  } | null;
  readonly updated: boolean;
  readonly notes: readonly string[];
}

/** One workload for people: what it runs and what it would run, then what changes with it. No line break at the end. */
export function formatUpdate(report: UpdateReport): string {
  const { name, available, current, newest, permissions, notes } = report;
  const state = current === '' ? 'nothing to update' : `${current} is the newest`;
  const head = available ? `${name}: ${current} -> ${newest}` : `${name}: ${state}`;
  const lines = [...(available ? [...permissions, ...toolLines(report)] : []), ...notes];
  const asks = available ? formatDemands('asks for:', report) : [];
  return [head, ...[...lines, ...asks].map((line) => `  ${line}`)].map(printable).join('\n');
}

/** What an update has changed in the tools of a server. */
export function toolLines({ tools }: Pick<UpdateReport, 'tools'>): readonly string[] {
  if (tools === null) return ['tools: known once it runs'];
  const { added, removed, changed } = tools;
  const parts = [
    ...added.map((name) => `+${name}`),
    ...removed.map((name) => `-${name}`),
    ...changed.map((name) => `~${name}`),
  ];
  return [`tools: ${parts.length === 0 ? 'the same' : parts.join(' ')}`];
}
