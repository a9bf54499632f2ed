export { checkPolicies, findUnknownTools } from './run/operations/check-policies.ts';
export { checkFile } from './run/plan/check-file.ts';
export { planRun } from './run/plan-run.ts';
