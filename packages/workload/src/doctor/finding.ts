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
  /** Severity. `notice` means that everything works, but something needs attention. */
  readonly level: 'fine' | 'notice' | 'problem';
  readonly found: string;
  readonly remedy?: string;
  /** Repairs the problem. Left out when a repair could delete data that a user may still want. */
  readonly repair?: (signal: AbortSignal) => Promise<void>;
}

export interface Examined extends Finding {
  /** Result of the repair: true, or the reason why it failed. Undefined when no repair was attempted. */
  readonly repaired?: true | string;
}
