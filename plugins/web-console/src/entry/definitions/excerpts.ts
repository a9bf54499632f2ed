/** Maximum length of an excerpt. */
const MAX_EXCERPT = 400;
/** Number of equal characters that an excerpt shows before the first difference. */
const CONTEXT = 60;

/**
 * Returns the parts of two JSON values around their first difference, as texts. A change far inside a long text
 * is thus visible. Undefined for a value that is absent.
 */
export function excerpts(before: unknown, after: unknown): readonly [string | undefined, string | undefined] {
  const [old, now] = [before, after].map(textOf);
  if (old === undefined || now === undefined) return [cut(old, 0), cut(now, 0)];
  let equal = 0;
  while (equal < old.length && equal < now.length && old[equal] === now[equal]) equal += 1;
  const start = equal <= CONTEXT ? 0 : equal - CONTEXT;
  return [cut(old, start), cut(now, start)];
}

function textOf(value: unknown): string | undefined {
  return value === undefined || typeof value === 'string' ? value : JSON.stringify(value);
}

function cut(text: string | undefined, start: number): string | undefined {
  if (text === undefined) return undefined;
  const end = start + MAX_EXCERPT;
  return `${start > 0 ? '…' : ''}${text.slice(start, end).toWellFormed()}${end < text.length ? '…' : ''}`;
}
