import type { Labels } from '@portolan/plugin-api';

/** Returns the engine's filter for resources with all of these labels and values. */
export function labelFilter(labels: Labels): { readonly label: string[] } {
  return { label: Object.entries(labels).map(([key, value]) => `${key}=${value}`) };
}
