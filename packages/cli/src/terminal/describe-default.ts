/** Formats the default registry, which is used if the user has set none. */
export function describeDefault(registry: string): string {
  return `${registry} (default: none is set)`;
}
