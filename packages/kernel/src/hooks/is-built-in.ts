/** Prefix of the names of built-in plugins, reserved for them. */
export const BUILT_IN = 'portolan:';

/** Returns whether a plugin of this name is part of the program. */
export function isBuiltIn(name: string): boolean {
  return name.startsWith(BUILT_IN);
}
