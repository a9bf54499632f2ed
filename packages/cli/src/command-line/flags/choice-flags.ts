import { Args } from '@oclif/core';
import { boolean, string } from './flag-types.ts';

/** `[NAME]...`: the workloads that a command acts on. */
export const workloadNames = {
  names: Args.string({
    description: 'name of a workload; repeatable',
    multiple: true,
    ignoreStdin: true,
  }),
};

/** `NAME`: the workload that a command acts on. */
export const workloadName = {
  name: Args.string({ description: 'name of the workload', required: true, ignoreStdin: true }),
};

export const choiceFlags = {
  all: boolean({ char: 'a', description: 'all workloads' }),
  group: string({ char: 'g', description: 'all workloads of a group', helpValue: 'NAME' }),
};

export interface ChoiceFlagValues {
  readonly all?: boolean | undefined;
  readonly group?: string | undefined;
}

export function choiceOf(
  names: readonly string[] | undefined,
  { all, group }: ChoiceFlagValues,
): { readonly names: readonly string[]; readonly all?: boolean; readonly group?: string } {
  return {
    names: names ?? [],
    ...(all === true ? { all } : {}),
    ...(group === undefined ? {} : { group }),
  };
}

/** Returns the message for `--all` or `--group` when no workload matches. */
export function nobodyChosen({ group }: ChoiceFlagValues): string {
  return group === undefined ? 'there are no workloads' : `there are no workloads in the group ${group}`;
}
