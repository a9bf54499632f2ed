import type { AppliedWorkload, ApplyPlan } from '@portolan/workload';
import { printable } from '../terminal/printable.ts';
import { formatApplyPlan } from '../workloads-file/format-apply-plan.ts';
import type { MovingServer, StayingEntry } from './movable-servers.ts';

/** Part of the plan of `apply --from-clients` that concerns the clients and secrets. */
export interface MovePlan {
  readonly servers: readonly MovingServer[];
  readonly staying: readonly StayingEntry[];
  readonly warnings: readonly string[];
  /** Names of the secrets that are stored. */
  readonly secrets: readonly string[];
  /** Whether the entries of the workloads replace those of the servers. */
  readonly replaces: boolean;
}

/** Formats the plan of `apply --from-clients` for people. No final line break. */
export function formatMoving(
  plan: ApplyPlan,
  { servers, staying, warnings, secrets, replaces }: MovePlan,
): string {
  return [
    formatApplyPlan(plan),
    ...section(
      replaces
        ? 'Entries that the workloads replace, after a backup of the file:'
        : 'Servers that become workloads:',
      servers.flatMap(({ workload, origins, notes }) => [
        ...origins.map(({ client, file, name }) => `${name} of ${client} (${file}) -> ${workload.name}`),
        ...notes.map((note) => `  ${workload.name}: ${note}`),
      ]),
    ),
    ...section('Secrets that go into the secret store:', secrets),
    ...section(
      'Servers that stay as they are:',
      staying.map(
        ({ entry: { name, client, file }, because }) => `${name} of ${client} (${file}): ${because}`,
      ),
    ),
    ...warnings.map((warning) => printable(`warning: ${warning}`)),
  ].join('\n');
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${printable(line)}`)];
}

/** Returns the parts of the plan that concern clients, for programs. */
export function movingDocument({ servers, staying, warnings, secrets, replaces }: MovePlan): object {
  return {
    moving: servers.flatMap(({ workload, origins }) =>
      origins.map(({ client, file, name }) => ({ client, file, entry: name, workload: workload.name })),
    ),
    staying: staying.map(({ entry: { name, client, file }, because }) => ({
      client,
      file,
      entry: name,
      because,
    })),
    secrets,
    replaces,
    warnings,
  };
}

/** Returns what happened to the files of clients, in sentences. */
export function describeMoved(
  { servers, replaces, staying }: MovePlan,
  results: readonly AppliedWorkload[],
  files: readonly { readonly file: string; readonly backup: string }[],
): readonly string[] {
  const isMoved = (name: string): boolean =>
    results.some((one) => one.name === name && one.error === undefined);
  const both = servers
    .filter(({ workload }) => isMoved(workload.name))
    .flatMap(({ workload, origins }) =>
      origins.map(
        ({ client, file, name }) =>
          `note: ${name} of ${client} still runs unprotected, in addition to the workload ${workload.name}: remove it from ${file}, or use --replace`,
      ),
    );
  return [
    ...(replaces ? [] : both),
    ...files.map(
      ({ file, backup }) =>
        `${file} is changed; its backup ${backup} still contains the earlier entries with their secrets: delete it when the clients work`,
    ),
    ...(servers.length === 0 && staying.length === 0 ? ['the clients have no servers outside Portolan'] : []),
  ];
}
