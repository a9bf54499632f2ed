import { badArgument } from '../terminal/terminal-errors.ts';

/**
 * Parses `NAME[/TOOL]`, repeated. Returns the items by workload; undefined for a whole workload. A tool of a virtual
 * server has a slash of its own: `NAME/MEMBER/TOOL`. Throws ERR_BAD_ARGUMENT.
 */
export function parseLockTargets(
  targets: string | readonly string[],
): ReadonlyMap<string, readonly string[] | undefined> {
  const parsed = new Map<string, readonly string[] | undefined>();
  for (const target of [targets].flat()) {
    const at = target.indexOf('/');
    const [name, item] = at < 0 ? [target, undefined] : [target.slice(0, at), target.slice(at + 1)];
    if (name === '' || item === '')
      throw badArgument(`found ${JSON.stringify(target)}; expected NAME or NAME/TOOL`);
    const known = parsed.get(name);
    if (item === undefined || (parsed.has(name) && known === undefined)) parsed.set(name, undefined);
    else parsed.set(name, [...(known ?? []), item]);
  }
  return parsed;
}
