export const BUILT_IN = 'portolan:';

export function isBuiltIn(name: string): boolean {
  return name.startsWith(BUILT_IN);
}
