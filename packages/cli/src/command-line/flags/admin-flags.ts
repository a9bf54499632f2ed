import { Args, Flags } from '@oclif/core';
import { strings } from './flag-types.ts';

export const sourceName = {
  name: Args.string({ description: 'name of the source', required: true, ignoreStdin: true }),
};
export const registryName = {
  name: Args.string({ description: 'name of the registry', required: true, ignoreStdin: true }),
};

/** `--file FILE`: a complete definition instead of flags. */
export const definitionFlag = Flags.string({
  char: 'f',
  description: 'the whole definition as in a configuration, YAML or JSON; `-` is standard input',
  helpValue: 'FILE',
});

export const yesFlag = Flags.boolean({
  char: 'y',
  description: 'do not ask for a confirmation',
  default: false,
});

/** `--clear-claims`, an alternative to `--claim`. */
export const clearClaimsFlag = Flags.boolean({ description: 'take all claims away', default: false });

const LIST = 'LIST';

/** `--kind KIND` of a new source. */
export const kindFlag = Flags.string({
  description: 'its kind, such as managed, file, git or api',
  helpValue: 'KIND',
});

/** Flags for the parts of a source's definition. */
export const sourceFlags = {
  set: Flags.string({
    description: 'a setting of its kind, such as path=./servers.json or url=URL; JSON, else text',
    helpValue: 'KEY=VALUE',
    multiple: true,
    multipleNonGreedy: true,
  }),
  interval: Flags.string({ description: 'time between two syncs, such as 30m', helpValue: 'DURATION' }),
  include: strings({ description: 'take these names only, patterns with *', helpValue: LIST }),
  exclude: strings({ description: 'leave these names out', helpValue: LIST }),
  'include-tags': strings({ description: 'take entries with one of these tags only', helpValue: LIST }),
  'exclude-tags': strings({ description: 'leave entries with one of these tags out', helpValue: LIST }),
};

/** Flags for the parts of a registry's definition. */
export const registryFlags = {
  sources: strings({ description: 'its sources, the one that wins first', helpValue: LIST }),
};
