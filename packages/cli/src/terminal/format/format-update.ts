import type { EntryDemands } from '@portolan/run-spec';
import { formatDemands } from './format-grants.ts';
import { printable } from '../printable.ts';

/** The update of one workload, and its result; the members are those of the JSON output. */
export interface UpdateReport {
  readonly name: string;
  readonly of: 'entry' | 'package' | 'image' | 'nothing';
  readonly available: boolean;
  readonly current: string;
  readonly newest: string;
  readonly permissions: readonly string[];
  readonly grants: EntryDemands['grants'];
  /** Settings for which the update is refused. */
  readonly refusals: EntryDemands['refusals'];
  /** Changes of the tools; null while unknown. */
  readonly tools: {
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly changed: readonly string[];
  } | null;
  readonly updated: boolean;
  readonly notes: readonly string[];
}

/**
 * Formats the update of one workload: the current and the new version, then the changes. No final line break.
 */
export function formatUpdate(report: UpdateReport): string {
  const { name, available, current, newest, permissions, notes } = report;
  const state = current === '' ? 'nothing to update' : `${current} is the newest`;
  const head = available ? `${name}: ${current} -> ${newest}` : `${name}: ${state}`;
  const lines = [...(available ? [...permissions, ...toolLines(report)] : []), ...notes];
  const asks = available ? formatDemands('asks for:', report) : [];
  return [head, ...[...lines, ...asks].map((line) => `  ${line}`)].map(printable).join('\n');
}

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
