/** Returns the name of a tool or prompt in the message path, which policies see. */
export function pathNameOf(member: string, own: string): string {
  return `${member}/${own}`;
}

/** Returns member and own name. Undefined for a text without a slash. */
export function splitPathName(name: string): { readonly member: string; readonly own: string } | undefined {
  const at = name.indexOf('/');
  return at < 1 ? undefined : { member: name.slice(0, at), own: name.slice(at + 1) };
}
