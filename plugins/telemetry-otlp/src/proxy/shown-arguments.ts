const MAX_VALUE_CHARACTERS = 100;
const MAX_CHARACTERS = 200;
const SECRET_KEY = /password|token|secret|key|auth|credential|private/i;

/** Formats arguments: `city=Oslo, api_key=[REDACTED]`. */
export function showArguments(input: Readonly<Record<string, unknown>>): string {
  const shown: string[] = [];
  let characters = 0;
  for (const [key, value] of Object.entries(input)) {
    const text = `${cut(key, MAX_VALUE_CHARACTERS)}=${SECRET_KEY.test(key) ? '[REDACTED]' : showValue(value)}`;
    shown.push(text);
    characters += text.length + 2;
    if (characters > MAX_CHARACTERS) break;
  }
  return cut(shown.join(', '), MAX_CHARACTERS);
}

/** Formats a value. Redacts secret names at every depth. */
function showValue(value: unknown): string {
  if (typeof value === 'string') return cut(value, MAX_VALUE_CHARACTERS);
  const hide = (key: string, inner: unknown): unknown =>
    key !== '' && SECRET_KEY.test(key) ? '[REDACTED]' : inner;
  return cut(JSON.stringify(value, hide) ?? 'undefined', MAX_VALUE_CHARACTERS);
}

/** Truncates a text without splitting a surrogate pair. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text.toWellFormed();
  return `${text.slice(0, most - 3).replace(/[\ud800-\udbff]$/, '')}...`.toWellFormed();
}

export function cutBytes(text: string, most: number): string {
  // A UTF-16 unit has at most three UTF-8 bytes.
  if (text.length * 3 <= most) return text.toWellFormed();
  const bytes = Buffer.from(text.toWellFormed());
  if (bytes.length <= most) return text.toWellFormed();
  let end = most - 3;
  while (end > 0 && ((bytes[end] ?? 0) & 0b1100_0000) === 0b1000_0000) end -= 1;
  return `${bytes.toString('utf8', 0, end)}...`;
}
