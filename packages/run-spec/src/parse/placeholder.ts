/** Returns the first `{name}`. */
export function findPlaceholder(url: string): string | undefined {
  return /\{[A-Za-z_][\w.-]*\}/.exec(url)?.[0];
}
