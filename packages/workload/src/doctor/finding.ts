export const DOCTOR_CHECKS = [
  'engine',
  'state',
  'containers',
  'ports',
  'names',
  'disk',
  'leftovers',
  'clients',
  'images',
] as const;
export type DoctorCheck = (typeof DOCTOR_CHECKS)[number];

/** Result of one check. */
export interface Finding {
  readonly check: DoctorCheck;
  /** `notice`: it works, but needs attention. */
  readonly level: 'fine' | 'notice' | 'problem';
  /** Sentence that describes the result. */
  readonly found: string;
  /** Instructions for the user; undefined when there is nothing to do. */
  readonly remedy?: string;
  /** Fixes the problem. Present only where the repair cannot lose data that a user may still want. */
  readonly repair?: (signal: AbortSignal) => Promise<void>;
}

/** Finding with the outcome of its repair. */
export interface Examined extends Finding {
  /** True after a repair, the reason of a failed one, or undefined when no repair was tried. */
  readonly repaired?: true | string;
}
