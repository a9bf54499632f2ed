import { Args } from '@oclif/core';
import { AUTH_FILES } from '@portolan/plugin-api';

const DESCRIPTION = `name of the file: ${AUTH_FILES.join(', ')}`;

/** `NAME`: a file with credentials for builds. */
export const authFile = {
  file: Args.string({
    description: DESCRIPTION,
    options: [...AUTH_FILES],
    required: true,
    ignoreStdin: true,
  }),
};

export const optionalAuthFile = {
  file: Args.string({ description: DESCRIPTION, options: [...AUTH_FILES], ignoreStdin: true }),
};
