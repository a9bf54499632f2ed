import type { ScanLimits } from './json-scanner.ts';

/** Of one entry, wherever it comes from. */
export const LIMITS: ScanLimits = { bytes: 4 * 1024 * 1024, depth: 64 };
