/** How the registry is shown that is asked although nobody has set it. */
export function describeDefault(registry: string): string {
  return `${registry} (default: none is set)`;
}
