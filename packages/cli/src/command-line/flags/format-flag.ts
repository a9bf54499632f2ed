import { Flags } from '@oclif/core';

/** `--format text|json`: tables for people, JSON for programs. */
export const formatFlag = Flags.option({
  description: 'how to print it',
  options: ['text', 'json'] as const,
  default: 'text' as const,
})();
