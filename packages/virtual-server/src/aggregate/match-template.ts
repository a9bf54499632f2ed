/** Maximum length of a URI that is matched with templates. */
const MAX_URI = 8192;

const EXPRESSION = /\{([^{}]*)\}/;

/**
 * Returns whether a URI can come from a template (RFC 6570): it has the literal parts in order, with
 * values between them. Takes linear time for every template.
 */
export function matchesTemplate(template: string, uri: string): boolean {
  if (uri.length > MAX_URI || template.length > MAX_URI) return false;
  const parts = template.split(EXPRESSION);
  let at = 0;
  for (let index = 0; index < parts.length; index += 2) {
    const literal = parts[index] ?? '';
    const before = index === 0 ? undefined : parts[index - 1];
    const isLast = index === parts.length - 1;
    const found = before === undefined ? (uri.startsWith(literal) ? 0 : -1) : find(uri, literal, at, isLast);
    if (found < 0) return false;
    if (before !== undefined && !isValueOf(before, uri.slice(at, found))) return false;
    at = found + literal.length;
  }
  return at === uri.length;
}

function find(uri: string, literal: string, from: number, isLast: boolean): number {
  if (!isLast) return literal === '' ? uri.length : uri.indexOf(literal, from);
  const at = uri.length - literal.length;
  return at >= from && uri.endsWith(literal) ? at : -1;
}

/** Returns whether an expression can have this value. Only some operators allow a slash or no value. */
function isValueOf(expression: string, value: string): boolean {
  const operator = expression[0] ?? '';
  if (value === '') return '?&;/#.'.includes(operator) && operator !== '';
  return '+#/?&;.'.includes(operator) || expression.endsWith('*') || !value.includes('/');
}
