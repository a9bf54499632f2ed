/**
 * The lists of kinds that workloads are made of. A configuration has a map of
 * settings under the same key, by the name of the kind.
 */
export const WORKLOAD_KEYS = ['runtimes', 'transports', 'schemes', 'secretStores'] as const;

export type WorkloadKey = (typeof WORKLOAD_KEYS)[number];
