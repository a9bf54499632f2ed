import { Flags } from '@oclif/core';

export const formatFlag = Flags.option({
  description: 'output format',
  options: ['text', 'json'] as const,
  default: 'text' as const,
})();
