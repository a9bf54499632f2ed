import type { ScanLimits } from './json-scanner.ts';

export const LIMITS: ScanLimits = { bytes: 4 * 1024 * 1024, depth: 64 };
