/** Prefix reserved for the names of built-in plugins. */
export const BUILT_IN = 'portolan:';

export function isBuiltIn(name: string): boolean {
  return name.startsWith(BUILT_IN);
}
