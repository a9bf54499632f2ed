/** Group of workloads that name none. It always exists. */
export const DEFAULT_GROUP = 'default';
