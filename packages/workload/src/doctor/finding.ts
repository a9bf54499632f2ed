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

export interface Finding {
  readonly check: DoctorCheck;
  /** Severity; `notice`: it works, but needs attention. */
  readonly level: 'fine' | 'notice' | 'problem';
  readonly found: string;
  readonly remedy?: string;
  /** Repair, where it cannot lose data that a user may still want. */
  readonly repair?: (signal: AbortSignal) => Promise<void>;
}

export interface Examined extends Finding {
  /** Reason of a failed repair; undefined when none was tried. */
  readonly repaired?: true | string;
}
