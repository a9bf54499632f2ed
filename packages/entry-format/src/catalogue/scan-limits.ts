import type { ScanLimits } from './json-scanner.ts';

/** Limits of one entry from any source. */
export const LIMITS: ScanLimits = { bytes: 4 * 1024 * 1024, depth: 64 };
