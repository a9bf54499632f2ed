export { parseWorkloadsFile } from './workloads-file/parse-workloads-file.ts';
export { formatConfig } from './workloads-file/read-workload.ts';
export { shortFormOf } from './workloads-file/short-form.ts';
export { badWorkloadsFile } from './workloads-file/workloads-file-errors.ts';
export {
  MAX_FILE_WORKLOADS,
  WORKLOAD_KINDS,
  type FileWorkload,
  type WorkloadKind,
  type WorkloadsFile,
} from './workloads-file/workloads-file.ts';
