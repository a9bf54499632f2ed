import { Args } from '@oclif/core';
import { boolean, string } from './flag-types.ts';

/** `[NAME]...`: the workloads that a command is for. */
export const workloadNames = {
  names: Args.string({
    description: 'name of a workload; several may be named',
    multiple: true,
    ignoreStdin: true,
  }),
};

/** `NAME`: the workload that a command is for. */
export const workloadName = {
  name: Args.string({ description: 'name of the workload', required: true, ignoreStdin: true }),
};

/** `--all` and `--group`, in place of names. */
export const choiceFlags = {
  all: boolean({ char: 'a', description: 'all workloads' }),
  group: string({ char: 'g', description: 'all workloads of a group', helpValue: 'NAME' }),
};

export interface ChoiceFlagValues {
  readonly all?: boolean | undefined;
  readonly group?: string | undefined;
}

/** Which workloads are meant, as operations want it. */
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

/** What is said where `--all` or `--group` stands for nobody. */
export function nobodyChosen({ group }: ChoiceFlagValues): string {
  return group === undefined ? 'there are no workloads' : `there are no workloads in the group ${group}`;
}
