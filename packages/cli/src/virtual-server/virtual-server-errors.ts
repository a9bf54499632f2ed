import { PortolanError } from '@portolan/plugin-api';

/** Creates the error for a members file when no workload is running that can be a member. */
export function noMembersRunning(): PortolanError {
  return new PortolanError(
    'ERR_WORKLOAD_NOT_RUNNING',
    'unavailable',
    'No workload is running that can be a member of a virtual server.',
    { hint: 'Run a server with `portolan run`; `portolan list --all` shows all workloads.' },
  );
}
