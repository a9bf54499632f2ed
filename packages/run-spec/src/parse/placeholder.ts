/** Returns the first unreplaced `{name}` in a URL; undefined when there is none. */
export function findPlaceholder(url: string): string | undefined {
  return /\{[A-Za-z_][\w.-]*\}/.exec(url)?.[0];
}
