import { Flags } from '@oclif/core';

/** `--format text|json`: tables for people, JSON for programs. */
export const formatFlag = Flags.option({
  description: 'output format',
  options: ['text', 'json'] as const,
  default: 'text' as const,
})();
