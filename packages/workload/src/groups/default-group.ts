/** Name of the group that contains all workloads without a named group. This group always exists. */
export const DEFAULT_GROUP = 'default';
