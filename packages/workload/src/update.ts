export { findUpdate } from './run/operations/update/find-update.ts';
export { updateWorkload } from './run/operations/update/update-workload.ts';
