/** The group of workloads for which none is named. It is always there. */
export const DEFAULT_GROUP = 'default';
