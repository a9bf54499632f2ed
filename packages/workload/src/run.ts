export { checkRequest } from './run/check-request.ts';
export { changeWorkload } from './run/operations/change-workload.ts';
export { startMarkedWorkloads } from './run/operations/start-marked-workloads.ts';
export { startWorkloads } from './run/operations/start-workloads.ts';
export { runWorkload } from './run/run-workload.ts';
