import { string } from './flag-types.ts';

/** Flag that names a workloads file. */
export const workloadsFileFlag = string({
  char: 'f',
  description: 'workloads file, YAML or JSON (`-` is standard input)',
  helpValue: 'FILE',
});
