/** One change of many, each told by its place in a log that never ends. */
export type ReportedChange =
  | { readonly name: string; readonly text: string }
  | { readonly name: string; readonly text: undefined };

/** The change at a place of the log: every fifth takes an entry away, which may not be there. */
export function changeAt(position: number): ReportedChange {
  const name = `acme/told-${(position * 7) % 31}`;
  return { name, text: position % 5 === 4 ? undefined : `change ${position}` };
}

/** What is there after the first so many changes, by name. */
export function stateAt(position: number): ReadonlyMap<string, string> {
  const state = new Map<string, string>();
  for (let at = 0; at < position; at += 1) {
    const { name, text } = changeAt(at);
    if (text === undefined) state.delete(name);
    else state.set(name, text);
  }
  return state;
}
