import type { AppliedWorkload, ApplyAction, ApplyPlan, PlannedWorkload } from '@portolan/workload';
import { shownValue } from '../terminal/format/format-difference.ts';
import { effectsOf } from '../terminal/format/format-plan.ts';
import { printable } from '../terminal/printable.ts';
import { describeError } from '../terminal/report-error.ts';

const MARKS: Readonly<Record<ApplyAction, string>> = {
  create: '+',
  replace: '~',
  start: '>',
  remove: '-',
  leave: '?',
  keep: '=',
  fails: '!',
};

const COUNTED: readonly (readonly [action: ApplyAction, words: string])[] = [
  ['create', 'to create'],
  ['replace', 'to replace'],
  ['start', 'to start'],
  ['remove', 'to remove'],
  ['leave', 'not in the file'],
  ['fails', 'that cannot run'],
  ['keep', 'unchanged'],
];

/** Parts of a new workload's plan that decide what its server may reach and gets. */
const SHOWN_EFFECTS: readonly string[] = ['mounts', 'network', 'secrets', 'headers'];

/** Formats the plan of a workloads file for people. No final line break. */
export function formatApplyPlan({ name, groups, workloads }: ApplyPlan): string {
  const counts = COUNTED.flatMap(([action, words]) => {
    const { length } = workloads.filter((one) => one.action === action);
    return length === 0 ? [] : [`${length} ${words}`];
  });
  return [
    printable(
      `${name === '' ? 'Plan' : `Plan of ${name}`}: ${counts.length === 0 ? 'nothing' : counts.join(', ')}`,
    ),
    ...groups.map((group) => printable(`+ group ${group}`)),
    ...workloads.flatMap(formatWorkload),
  ].join('\n');
}

function formatWorkload(workload: PlannedWorkload): readonly string[] {
  const { name, action } = workload;
  return [
    printable(`${MARKS[action]} ${name}${describeAction(workload)}`),
    ...detailsOf(workload).map((line) => `    ${printable(line)}`),
  ];
}

function describeAction({ action, run }: PlannedWorkload): string {
  switch (action) {
    case 'create':
      return run === undefined ? '' : `: ${run.target.form} ${run.target.named}`;
    case 'start':
      return ': is not running, and is started with its settings';
    case 'remove':
      return ': the file no longer has it; its named volumes stay';
    case 'leave':
      return ': the file no longer has it; --prune removes it';
    case 'replace':
    case 'keep':
    case 'fails':
    default:
      return '';
  }
}

function detailsOf({
  action,
  run,
  changes,
  lost,
  grants,
  warnings,
  error,
}: PlannedWorkload): readonly string[] {
  const effects = run === undefined || action !== 'create' ? [] : effectsOf(run);
  return [
    ...effects
      .filter(([title]) => SHOWN_EFFECTS.includes(title))
      .flatMap(([title, lines]) => lines.map((line) => `${title}: ${line}`)),
    ...changes.map(
      ({ setting, before, after }) => `${setting}: ${shownValue(before)} -> ${shownValue(after)}`,
    ),
    ...lost.map((protection) => `no longer protected: ${protection}`),
    ...(action === 'keep' ? [] : grants).map(
      ({ line, author }) => `allows, as the ${author} requests: ${line}`,
    ),
    ...(action === 'keep' ? [] : warnings.map((warning) => `warning: ${warning}`)),
    ...(error === undefined ? [] : describeError(error, { debug: false }).trimEnd().split('\n')),
  ];
}

/** Returns the plan as a document for programs, without values of variables and secrets. */
export function applyPlanDocument({ name, groups, workloads }: ApplyPlan): object {
  return { name, groups, workloads: workloads.map(workloadDocument) };
}

/** Returns the plan of one workload as a document for programs. */
export function workloadDocument({
  name,
  action,
  kind,
  changes,
  lost,
  grants,
  warnings,
  run,
  error,
}: PlannedWorkload): object {
  return {
    name,
    action,
    ...(kind === undefined ? {} : { kind }),
    changes,
    lost,
    grants: grants.map(({ kind: of, line, author }) => ({ kind: of, line, author })),
    warnings,
    ...(run === undefined || action !== 'create' ? {} : { plan: run }),
    ...(error === undefined ? {} : { error: { code: error.code, message: error.message } }),
  };
}

/** Returns the plan with what happened to each workload, for programs. */
export function resultDocument(plan: ApplyPlan, results: readonly AppliedWorkload[]): object {
  const { name, groups, workloads } = plan;
  return {
    name,
    groups,
    workloads: workloads.map((workload) => {
      const result = results.find((one) => one.name === workload.name);
      const { url, error = workload.error } = result ?? { url: undefined };
      return { ...workloadDocument({ ...workload, error }), ...(url === undefined ? {} : { url }) };
    }),
  };
}
