export { SecretValues } from './logging/secret-values.ts';
export { openWorkloadKernel } from './workload/open-workload-kernel.ts';
