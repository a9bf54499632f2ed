/** Returns the first `{name}` in a URL that nobody replaced; undefined where there is none. */
export function findPlaceholder(url: string): string | undefined {
  return /\{[A-Za-z_][\w.-]*\}/.exec(url)?.[0];
}
