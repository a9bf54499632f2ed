export { applyFile } from './run/apply/apply-file.ts';
export { isAsInFile, isChanging } from './run/apply/apply-plan.ts';
export { planWorkloads } from './run/apply/plan-workloads.ts';
export { readWorkloadsFile } from './run/apply/read-workloads-file.ts';
export { checkRequest } from './run/check-request.ts';
export { changeWorkload } from './run/operations/change-workload.ts';
export { startMarkedWorkloads } from './run/operations/start-marked-workloads.ts';
export { startWorkloads } from './run/operations/start-workloads.ts';
export { runWorkload } from './run/run-workload.ts';
