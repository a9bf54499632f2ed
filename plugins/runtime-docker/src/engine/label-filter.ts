import type { Labels } from '@portolan/plugin-api';

export function labelFilter(labels: Labels): { readonly label: string[] } {
  return { label: Object.entries(labels).map(([key, value]) => `${key}=${value}`) };
}
