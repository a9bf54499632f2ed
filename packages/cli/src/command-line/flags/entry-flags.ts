import { Args, Flags } from '@oclif/core';

/** `TYPE/NAME`. Does not accept `-` for standard input. */
export const entryArgument = Args.string({
  description: 'type and full name of the entry, such as server/com.acme/notes or skill/com.acme/triage',
  required: true,
  ignoreStdin: true,
});

export const claimFlag = Flags.string({
  description: 'claim that readers must have; repeat a key to add a value',
  helpValue: 'KEY=VALUE',
  multiple: true,
  multipleNonGreedy: true,
});

export const managedSourceFlag = Flags.string({
  description: 'managed source; optional if the server has only one',
  helpValue: 'NAME',
});

export const typeFlag = Flags.option({
  description: 'type of the entries',
  options: ['server', 'skill', 'plugin'] as const,
});
