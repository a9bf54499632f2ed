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
  description: 'complete definition as in a configuration, YAML or JSON; `-` is standard input',
  helpValue: 'FILE',
});

export const yesFlag = Flags.boolean({
  char: 'y',
  description: 'skip the confirmation',
  default: false,
});

export const clearClaimsFlag = Flags.boolean({ description: 'remove all claims', default: false });

const LIST = 'LIST';

export const kindFlag = Flags.string({
  description: 'kind of the source, such as managed, file, git or api',
  helpValue: 'KIND',
});

export const sourceFlags = {
  set: Flags.string({
    description: 'setting of the kind, such as path=./servers.json or url=URL; JSON or a string; repeatable',
    helpValue: 'KEY=VALUE',
    multiple: true,
    multipleNonGreedy: true,
  }),
  interval: Flags.string({ description: 'time between two syncs, such as 30m', helpValue: 'DURATION' }),
  include: strings({
    description: 'include only entries with these names; * is a wildcard',
    helpValue: LIST,
  }),
  exclude: strings({ description: 'exclude entries with these names', helpValue: LIST }),
  'include-tags': strings({ description: 'include only entries with one of these tags', helpValue: LIST }),
  'exclude-tags': strings({ description: 'exclude entries with one of these tags', helpValue: LIST }),
};

export const registryFlags = {
  sources: strings({ description: 'sources of the registry, in order of precedence', helpValue: LIST }),
};
