import { Args } from '@oclif/core';
import { AUTH_FILES } from '@portolan/plugin-api';

const DESCRIPTION = `which one: ${AUTH_FILES.join(', ')}`;

/** `NAME`: a file of credentials that builds are given. */
export const authFile = {
  file: Args.string({
    description: DESCRIPTION,
    options: [...AUTH_FILES],
    required: true,
    ignoreStdin: true,
  }),
};

/** The same, where it may be left out. */
export const optionalAuthFile = {
  file: Args.string({ description: DESCRIPTION, options: [...AUTH_FILES], ignoreStdin: true }),
};
