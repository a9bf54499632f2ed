/** Hosts that kinds support: the registry server, and the commands and supervisors of workloads. */
export const HOSTS = ['registry-server', 'workload'] as const;

export type Host = (typeof HOSTS)[number];
