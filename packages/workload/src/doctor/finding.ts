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

/** What one check has found. */
export interface Finding {
  readonly check: DoctorCheck;
  /** `notice`: it works, but deserves a look. */
  readonly level: 'fine' | 'notice' | 'problem';
  /** A sentence. */
  readonly found: string;
  /** What to do about it; undefined where nothing has to be done. */
  readonly remedy?: string;
  /** Does it; there only where it loses nothing that somebody could still want. */
  readonly repair?: (signal: AbortSignal) => Promise<void>;
}

/** What was found, and of what could be repaired whether it was. */
export interface Examined extends Finding {
  /** Undefined where nothing was tried; else true, or why not. */
  readonly repaired?: true | string;
}
