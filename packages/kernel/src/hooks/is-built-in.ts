/** How the names of built-in plugins begin, and of no others. */
export const BUILT_IN = 'portolan:';

/** Whether a plugin of this name is part of the program. */
export function isBuiltIn(name: string): boolean {
  return name.startsWith(BUILT_IN);
}
