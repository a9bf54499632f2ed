const MAX_SHOWN = 100;

/**
 * Returns a text of a member in quotes, cut at 100 characters, with escapes for all but visible ASCII characters.
 * So findings show invisible and confusable characters.
 */
export function quoteText(text: string): string {
  const cut = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN - 1)}…` : text;
  return JSON.stringify(cut).replaceAll(/[^\u0020-\u007e…]/g, escapeUnit);
}

function escapeUnit(unit: string): string {
  return String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
