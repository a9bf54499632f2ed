import type { Labels } from '@portolan/plugin-api';

/** A filter of the engine: what carries all of these labels with these values. */
export function labelFilter(labels: Labels): { readonly label: string[] } {
  return { label: Object.entries(labels).map(([key, value]) => `${key}=${value}`) };
}
