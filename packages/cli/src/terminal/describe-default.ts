export function describeDefault(registry: string): string {
  return `${registry} (default: none is set)`;
}
